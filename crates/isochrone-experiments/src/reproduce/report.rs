//! REPORT.md: claims, measurements and verdicts.

/// One claim checked.
pub(super) struct Finding {
    /// What is claimed.
    pub(super) claim: String,
    /// What we measured.
    pub(super) found: String,
    /// When the claim counts as true.
    pub(super) rule: &'static str,
    /// Does it hold?
    pub(super) verdict: Verdict,
}

/// Whether a claim holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Verdict {
    Holds,
    /// True under a condition that the finding states.
    Depends,
    Fails,
    /// The interval contains both outcomes.
    Unclear,
    /// Too few runs for a verdict.
    TooFew,
    /// A quick version: no verdict.
    NotJudged,
}

impl Verdict {
    /// Of a claim about several cases, of which it holds in some.
    pub(super) const fn in_some(holds: usize, cases: usize) -> Self {
        match holds {
            0 => Self::Fails,
            n if n == cases => Self::Holds,
            _ => Self::Depends,
        }
    }

    /// Of a number that is known to be in `low…high`: is it in `least…most`?
    pub(super) fn of_interval((low, high): (f64, f64), (least, most): (f64, f64)) -> Self {
        if least <= low && high <= most {
            Self::Holds
        } else if high < least || most < low {
            Self::Fails
        } else {
            Self::Unclear
        }
    }

    fn word(self) -> &'static str {
        match self {
            Self::Holds => "holds",
            Self::Depends => "depends",
            Self::Fails => "does not hold",
            Self::Unclear => "inconclusive",
            Self::TooFew => "too few seeds",
            Self::NotJudged => "quick: not judged",
        }
    }
}

/// A claim that can be tested is tested here: the verdict is computed.
impl From<bool> for Verdict {
    fn from(holds: bool) -> Self {
        if holds { Self::Holds } else { Self::Fails }
    }
}

/// How the numbers of a report came about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Made {
    /// Now, in full.
    Now,
    /// Now, in a small version that shows that it works.
    Quickly,
    /// In trainings before, whose records are part of the program.
    FromRecords,
}

impl Made {
    /// What a reader must know before the numbers.
    const fn caveat(self) -> Option<&'static str> {
        match self {
            Self::Now => None,
            Self::Quickly => Some(
                "quick: not judged. This small version shows that the command works; its numbers say nothing about the claims.",
            ),
            Self::FromRecords => Some("Drawn from recorded runs, nothing was trained."),
        }
    }
}

/// What the numbers rest on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Basis {
    /// Linear algebra, distances in √steps.
    Exact,
    /// Learned distances, in steps.
    Learned,
    /// Trained policies, by the share of goals they reach.
    Trained,
}

impl Basis {
    /// Whose claims are judged, the units of numbers, and where numbers come from.
    const fn words(self) -> [&'static str; 3] {
        match self {
            Self::Exact => [
                "the paper's claim",
                "Distances and their errors are in √steps.",
                "Exact linear algebra, no sampling but where a seed is named",
            ],
            Self::Learned => [
                "claim",
                "Distances and their errors are in steps.",
                "Learned from sampled trajectories; every number with its seed is in results.csv",
            ],
            Self::Trained => [
                "claim",
                "*Inconclusive*: the interval contains both answers. *Too few seeds*: fewer than three. Claims with a figure's \
                 number are the paper's, the others are asked by us.",
                "From trainings; every evaluation with its seed, revision and spec is in results.csv",
            ],
        }
    }
}

/// What REPORT.md says.
pub(super) struct Report {
    pub(super) title: String,
    pub(super) basis: Basis,
    pub(super) findings: Vec<Finding>,
    /// Paragraphs on where we differ from the paper, and why.
    pub(super) differences: Vec<String>,
}

impl Report {
    /// A report on learned distances; `differences` is a Markdown list.
    pub(super) fn learned(title: &str, findings: Vec<Finding>, differences: &str) -> Self {
        Self {
            title: title.to_owned(),
            basis: Basis::Learned,
            findings,
            differences: paragraphs(differences),
        }
    }

    /// Withdraws the verdicts of a quick version.
    pub(super) fn judged_as(mut self, made: Made) -> Self {
        if made == Made::Quickly {
            for finding in &mut self.findings {
                finding.verdict = Verdict::NotJudged;
            }
        }
        self
    }

    pub(super) fn to_markdown(&self, made: Made) -> String {
        let [claim, units, source] = self.basis.words();
        let caveat = made.caveat().map(|caveat| format!("**{caveat}**\n\n"));
        let row = |finding: &Finding| {
            let cells = [&finding.claim, &finding.found, finding.rule];
            // A bar would begin the next cell.
            let [claim, found, rule] = cells.map(|cell| cell.replace('|', "\\|"));
            let verdict = finding.verdict.word();
            format!("| {claim} | {found} | {rule} | **{verdict}** |\n")
        };
        let rows: Vec<String> = self.findings.iter().map(row).collect();
        let items = self.differences.iter().map(|item| format!("- {item}\n"));
        format!(
            "# {}\n\n{}![figure](figure.svg)\n\n| {claim} | found | holds if | verdict |\n|---|---|---|---|\n{}\n\
             *Depends*: true under a condition that the finding names, not as printed. {units}\n\n\
             ## Known differences\n\n{}\n{source}; written by isochrone {}.\n",
            self.title,
            caveat.unwrap_or_default(),
            rows.concat(),
            items.collect::<Vec<_>>().concat(),
            env!("CARGO_PKG_VERSION")
        )
    }

    pub(super) fn to_terminal(&self, made: Made) -> String {
        let caveat = made.caveat().map(|caveat| format!("{caveat}\n\n"));
        let finding = |finding: &Finding| {
            let (word, claim) = (finding.verdict.word(), &finding.claim);
            let (found, rule) = (&finding.found, finding.rule);
            format!(
                "  {word:>17}  {claim}\n{0:>21}{found}\n{0:>21}(holds if {rule})\n",
                ""
            )
        };
        let findings: Vec<String> = self.findings.iter().map(finding).collect();
        let (title, caveat) = (&self.title, caveat.unwrap_or_default());
        format!("{title}\n\n{caveat}{}\n", findings.concat())
    }
}

/// The items of a Markdown list, one on each line.
pub(super) fn paragraphs(list: &str) -> Vec<String> {
    let items = list.lines().map(|line| line.trim_start_matches("- "));
    items.map(str::to_owned).collect()
}

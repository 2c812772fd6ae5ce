//! A claim, our number, the verdict.

use std::fmt::Write as _;

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
            Self::Unclear => "cannot be told",
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
    const fn units(self) -> &'static str {
        match self {
            Self::Exact => "Distances and their errors are in √steps.",
            Self::Learned => "Distances and their errors are in steps.",
            Self::Trained => {
                "*Cannot be told*: the interval holds both. *Too few seeds*: fewer than three. Claims with a figure's \
                 number are the paper's, the others are asked by us."
            }
        }
    }

    /// The learned reproductions are about claims of this project, those of trainings about both.
    const fn claims(self) -> &'static str {
        match self {
            Self::Exact => "the paper's claim",
            Self::Learned | Self::Trained => "claim",
        }
    }

    const fn words(self) -> &'static str {
        match self {
            Self::Exact => "Exact linear algebra, no sampling but where a seed is named",
            Self::Learned => {
                "Learned from sampled trajectories; every number with its seed is in results.csv"
            }
            Self::Trained => {
                "From trainings; every evaluation with its seed, revision and spec is in results.csv"
            }
        }
    }
}

/// In a table's cell a bar would begin the next one.
fn as_cell(words: &str) -> String {
    words.replace('|', "\\|")
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
    /// Takes verdicts back that a quick version cannot give.
    pub(super) fn judged_as(mut self, made: Made) -> Self {
        if made == Made::Quickly {
            for finding in &mut self.findings {
                finding.verdict = Verdict::NotJudged;
            }
        }
        self
    }

    pub(super) fn to_markdown(&self, made: Made) -> String {
        let mut text = format!("# {}\n\n", self.title);
        if let Some(caveat) = made.caveat() {
            let _ = writeln!(text, "**{caveat}**\n");
        }
        text += "![figure](figure.svg)\n\n";
        let whose = self.basis.claims();
        let _ = writeln!(
            text,
            "| {whose} | found | holds if | verdict |\n|---|---|---|---|"
        );
        for finding in &self.findings {
            let Finding {
                claim,
                found,
                rule,
                verdict,
            } = finding;
            let [claim, found] = [claim, found].map(|words| as_cell(words));
            let (rule, verdict) = (as_cell(rule), verdict.word());
            let _ = writeln!(text, "| {claim} | {found} | {rule} | **{verdict}** |");
        }
        let _ = write!(
            text,
            "\n*Depends*: true under a condition that the finding names, not as printed. {}\n\n## Known differences\n\n",
            self.basis.units()
        );
        for paragraph in &self.differences {
            let _ = writeln!(text, "- {paragraph}");
        }
        let _ = writeln!(
            text,
            "\n{}; written by isochrone {}.",
            self.basis.words(),
            env!("CARGO_PKG_VERSION")
        );
        text
    }

    pub(super) fn to_terminal(&self, made: Made) -> String {
        let mut text = format!("{}\n\n", self.title);
        if let Some(caveat) = made.caveat() {
            let _ = writeln!(text, "{caveat}\n");
        }
        for finding in &self.findings {
            let Finding {
                claim,
                found,
                rule,
                verdict,
            } = finding;
            let word = verdict.word();
            let _ = writeln!(
                text,
                "  {word:>17}  {claim}\n{0:>21}{found}\n{0:>21}(holds if {rule})",
                ""
            );
        }
        text + "\n"
    }
}

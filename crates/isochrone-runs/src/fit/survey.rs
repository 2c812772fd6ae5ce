//! The first pass: what must be known of the data before anything is learned.

use super::chunks::stream_options;
use super::entries::{self, Range, sample_states};
use super::leaks::ClockTest;
use super::spec::{DataFacts, FitSpec};
use super::target_name::TargetName;
use super::window::Lengths;
use crate::exit::Stopped;
use crate::progress::Observer;
use anyhow::{Context, Result, bail};
use isochrone::embedding::{Moments, Normaliser};
use isochrone::env::{Dtype, ObservationSpec};
use isochrone::evaluate::median;
use isochrone::pairs::Reservoir;
use isochrone::rng::{Rng, Seed, Stream};
use isochrone_files::data::{DataSource, PieceEnd};
use isochrone_files::held_out::HeldOut;
use isochrone_files::model::CopyFinder;
use std::collections::BTreeSet;

const NOT_FINITE: &str =
    "a standard deviation of the states is not finite: their numbers are too large for f32";

/// Steps whose length is kept, for the median.
const STEP_LENGTHS: usize = 10_000;

/// Pieces between questions whether to go on: ranks answer together, which takes longer than looking at a piece.
const ASK_EVERY: usize = 1_000;

/// What the data are.
#[derive(Clone, Debug)]
pub(super) struct Survey {
    /// Entries of a state.
    pub(super) width: usize,
    /// Episodes learned from.
    pub(super) episodes: u64,
    /// Steps between their states.
    pub(super) transitions: u64,
    pub(super) held_out: HeldOut,
    pub(super) held_out_episodes: u64,
    /// Held-out episodes with a copy among those learned from; not known of a resumed fit.
    pub(super) copies: BTreeSet<u64>,
    pub(super) held_out_rows: u64,
    /// Median Euclidean length of a step.
    pub(super) median_step: f64,
    pub(super) normaliser: Normaliser,
    /// Goals of bootstrapped targets; none for others.
    pub(super) goals: Option<Reservoir>,
    /// The number of each file's first episode.
    pub(super) first_episodes: Vec<u64>,
    /// The range of each entry of the states that are learned from.
    pub(super) ranges: Vec<Range>,
    /// The same of all states; not known of a resumed fit.
    pub(super) all_ranges: Vec<Range>,
    /// How long episodes are, those kept aside included; not known of a resumed fit.
    pub(super) lengths: Lengths,
    /// How each entry runs through the episodes; not known of a resumed fit.
    pub(super) clock_test: ClockTest,
    /// Some states, end to end; none of a resumed fit.
    pub(super) sample: Vec<f32>,
    /// The longest window that memory allows, in steps.
    pub(super) most_window_steps: usize,
    /// Height, width and channels, if states are images; not known of a resumed fit.
    pub(super) image: Option<[usize; 3]>,
}

impl Survey {
    /// What open settings depend on.
    pub(super) fn facts(&self) -> DataFacts {
        let typical = self.lengths.typical() as usize;
        DataFacts {
            transitions: self.transitions,
            median_step: self.median_step,
            fitting_window_steps: typical.clamp(1, self.most_window_steps.max(1)),
            image: self.image,
        }
    }

    /// The standard deviation of an entry.
    pub(super) fn spread(&self, entry: usize) -> f64 {
        f64::from(self.normaliser.std()[entry])
    }

    /// Whether an episode is held out, and no copy of it is learned from.
    pub(super) fn is_unseen(&self, episode: u64) -> bool {
        self.held_out.contains(episode) && !self.copies.contains(&episode)
    }

    /// Warns of held-out episodes that are learned from under another number.
    pub(super) fn warn_of_copies(&self, observer: &dyn Observer) {
        let (copies, held_out) = (self.copies.len(), self.held_out_episodes);
        if copies > 0 {
            observer.warns(&format!(
                "of {held_out} held-out episodes {copies} are also among those that are learned from, twice in one file or in \
                 several: nothing is measured by them. Give every episode once"
            ));
        }
    }
}

/// What is gathered on the way.
struct Gathered {
    moments: Moments,
    goals: Option<Reservoir>,
    steps: Reservoir,
    sample: Reservoir,
    ranges: Vec<Range>,
    clock_test: ClockTest,
    goal_rng: Rng,
    step_rng: Rng,
    sample_rng: Rng,
    copies: CopyFinder,
    ends: LastEpisodes,
}

/// Episodes that are held out or learned from although draws say otherwise.
#[derive(Clone, Copy, Default)]
struct LastEpisodes {
    /// The last episode: it is held out if no other is.
    last: u64,
    /// The last held-out episode with a step: it is learned from if no other has one.
    spare: Option<u64>,
}

/// Goes through all data once, in file order; again if no draw keeps an episode aside, because then the last one is,
/// and nothing may be gathered from it; and again if none is left to learn from.
pub(super) fn survey(
    source: &DataSource,
    spec: &FitSpec,
    observer: &dyn Observer,
) -> Result<Survey> {
    let mut held_out = HeldOut {
        seed: spec.seed,
        share: spec.held_out,
        also: None,
        never: None,
    };
    let (mut found, mut ends) = go_through(source, spec, held_out, observer)?;
    if found.held_out_episodes == 0 && found.episodes > 1 && spec.held_out > 0.0 {
        held_out.also = Some(ends.last);
        (found, ends) = go_through(source, spec, held_out, observer)?;
    }
    if found.transitions == 0 && ends.spare.is_some() {
        held_out.never = ends.spare;
        found = go_through(source, spec, held_out, observer)?.0;
    }
    if found.transitions == 0 {
        bail!(
            "there is nothing to learn from: {} episodes without a single step; is the episode index right (--episode, in Python \
             episode=)?",
            found.episodes
        );
    }
    Ok(found)
}

fn go_through(
    source: &DataSource,
    spec: &FitSpec,
    held_out: HeldOut,
    observer: &dyn Observer,
) -> Result<(Survey, LastEpisodes)> {
    let width = source.spec().len();
    let mut gathered = Gathered::new(spec, width, held_out);
    let mut found = Survey {
        width,
        episodes: 0,
        transitions: 0,
        held_out,
        held_out_episodes: 0,
        copies: BTreeSet::new(),
        held_out_rows: 0,
        median_step: 0.0,
        normaliser: gathered.moments.normaliser().context(NOT_FINITE)?,
        goals: None,
        first_episodes: Vec::new(),
        ranges: Vec::new(),
        all_ranges: Vec::new(),
        lengths: Lengths::default(),
        clock_test: ClockTest::default(),
        sample: Vec::new(),
        most_window_steps: 1,
        image: image_shape(source.spec()),
    };
    observer.begins("looking through the data", 0);
    let max_rows = stream_options(spec, source.spec()).max_rows(source.spec());
    found.most_window_steps = max_rows.get() - 1;
    for (at, piece) in source.pieces(max_rows).enumerate() {
        let piece = piece?;
        if at.is_multiple_of(ASK_EVERY) && !observer.goes_on() {
            bail!(Stopped("stopped before anything was learned".to_owned()));
        }
        let rows = piece.states.len() as u64;
        let is_new = piece.first_step == 0;
        if found.first_episodes.len() <= piece.file as usize {
            found.first_episodes.push(piece.episode);
        }
        gathered.ends.last = piece.episode;
        gathered.copies.add(&piece);
        if piece.end == PieceEnd::Episode {
            found.lengths.add(piece.first_step + rows - 1);
        }
        let states = piece.states.numbers();
        for state in states.chunks_exact(width.max(1)) {
            entries::widen(&mut found.all_ranges, state);
        }
        if held_out.contains(piece.episode) {
            found.held_out_episodes += u64::from(is_new);
            found.held_out_rows += rows;
            if rows > 1 {
                gathered.ends.spare = Some(piece.episode);
            }
            continue;
        }
        found.episodes += u64::from(is_new);
        // The step across a cut is in no piece of the learning passes either.
        found.transitions += rows - 1;
        if is_new {
            gathered
                .clock_test
                .begin(&states[..width.min(states.len())]);
        }
        gathered.add(&states, width);
    }
    let ends = gathered.ends;
    Ok((gathered.into(found)?, ends))
}

/// The shape of images; square ones with three channels or one if only their length is known. `None` if states are no images.
fn image_shape(spec: &ObservationSpec) -> Option<[usize; 3]> {
    match (spec.dtype, spec.shape.as_slice()) {
        (Dtype::F32, _) => None,
        (Dtype::U8, &[height, width, channels]) => Some([height, width, channels]),
        (Dtype::U8, &[height, width]) => Some([height, width, 1]),
        (Dtype::U8, _) => [3, 1].into_iter().find_map(|channels| {
            let side = (spec.len() / channels).isqrt();
            (side * side * channels == spec.len()).then_some([side, side, channels])
        }),
    }
}

impl Gathered {
    fn new(spec: &FitSpec, width: usize, held_out: HeldOut) -> Self {
        let seed = Seed(spec.seed);
        let wants_goals = spec.target_name() == TargetName::Bootstrapped;
        Self {
            moments: Moments::new(width),
            goals: wants_goals.then(|| Reservoir::new(spec.goals, width)),
            steps: Reservoir::new(STEP_LENGTHS, 1),
            sample: Reservoir::new(sample_states(width), width),
            ranges: Vec::new(),
            clock_test: ClockTest::default(),
            goal_rng: seed.of(Stream::KeptGoals),
            step_rng: seed.of(Stream::KeptSteps),
            sample_rng: seed.of(Stream::KeptStates),
            copies: CopyFinder::new(held_out),
            ends: LastEpisodes::default(),
        }
    }

    fn add(&mut self, states: &[f32], width: usize) {
        for row in states.chunks_exact(width) {
            self.moments.add(row);
            entries::widen(&mut self.ranges, row);
            self.sample.offer(row, &mut self.sample_rng);
            if let Some(goals) = &mut self.goals {
                goals.offer(row, &mut self.goal_rng);
            }
        }
        let next = states.chunks_exact(width).skip(1);
        for (a, b) in states.chunks_exact(width).zip(next) {
            self.clock_test.step(a, b);
            let squared: f32 = a.iter().zip(b).map(|(a, b)| (a - b) * (a - b)).sum();
            self.steps.offer(&[squared.sqrt()], &mut self.step_rng);
        }
    }

    fn into(self, found: Survey) -> Result<Survey> {
        let lengths: Vec<f64> = self.steps.states().iter().map(|x| f64::from(*x)).collect();
        Ok(Survey {
            median_step: median(&lengths).unwrap_or(0.0),
            normaliser: self.moments.normaliser().context(NOT_FINITE)?,
            goals: self.goals,
            ranges: self.ranges,
            clock_test: self.clock_test,
            copies: self.copies.copies(),
            sample: self.sample.states().to_vec(),
            ..found
        })
    }
}

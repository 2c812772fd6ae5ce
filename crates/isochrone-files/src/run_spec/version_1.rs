//! Specs of version 1: one flat list of settings, most of them idle in any one run. Read for ever, never written.

use anyhow::{Result, anyhow};
use toml::{Table, Value};

/// Is this a flat spec? Its distance, generator or labels are words, or it has settings that moved into tables.
pub(super) fn is_flat(table: &Table) -> bool {
    let is_word = |key: &str| table.get(key).is_some_and(Value::is_str);
    let moved = [
        "kl_limit",
        "eval_rollouts",
        "label_rollouts",
        "hidden",
        "radius_m",
        "tail_steps",
    ];
    let has_moved = moved.iter().any(|key| table.contains_key(*key));
    ["distance", "generator", "labels"].into_iter().any(is_word) || has_moved
}

/// Settings that kept their name and place.
const KEPT: [&str; 14] = [
    "world",
    "seed",
    "iterations",
    "evaluate_every",
    "goal_space",
    "horizon_steps",
    "batch_steps",
    "updates_per_iteration",
    "new_goals",
    "old_goals",
    "archive_spacing_m",
    "initial_states",
    "on_policy_states",
    "shards",
];

const LEARNER: [&str; 10] = [
    "hidden",
    "std",
    "first_std",
    "baseline",
    "discount",
    "lambda",
    "timeout_value",
    "kl_limit",
    "conjugate_steps",
    "damping",
];

const EVALUATION: [(&str, &str); 3] = [
    ("eval_radius_m", "radius_m"),
    ("eval_horizon_steps", "horizon_steps"),
    ("eval_rollouts", "rollouts"),
];

const LABELS: [(&str, &str); 3] = [
    ("label_rollouts", "rollouts"),
    ("label_min", "min"),
    ("label_max", "max"),
];

const GAN: [(&str, &str); 3] = [
    ("gan_iterations", "iterations"),
    ("gan_initial_iterations", "initial_iterations"),
    ("gan_noise_std_m", "noise_std_m"),
];

const QUEUE: [(&str, &str); 4] = [
    ("tail_steps", "tail_steps"),
    ("queue_size", "size"),
    ("queue_replaced", "replaced"),
    ("queue_tolerance", "tolerance"),
];

const PREDICTOR: [(&str, &str); 10] = [
    ("predictor_hidden", "hidden"),
    ("predictor_dims", "dims"),
    ("predictor_head", "head"),
    ("predictor_p", "p"),
    ("predictor_q", "q"),
    ("predictor_scaling", "scaling"),
    ("predictor_batch", "batch"),
    ("predictor_learning_rate", "learning_rate"),
    ("predictor_initial_samples", "initial_samples"),
    ("predictor_initial_epochs", "initial_epochs"),
];

/// Where a flat setting is now; `None` if it kept its name.
pub(super) fn new_name(flat: &str) -> Option<String> {
    let of = |table: &str, pairs: &[(&str, &str)]| {
        let found = pairs.iter().find(|(old, _)| *old == flat);
        found.map(|(_, new)| format!("{table}.{new}"))
    };
    let learner = LEARNER.contains(&flat).then(|| format!("learner.{flat}"));
    learner
        .or_else(|| of("evaluation", &EVALUATION))
        .or_else(|| of("labels", &LABELS))
        .or_else(|| of("generator", &GAN))
        .or_else(|| of("distance", &PREDICTOR))
        .or_else(|| {
            Some(match flat {
                "queue_size" => "generator.size".to_owned(),
                "queue_replaced" => "generator.replaced".to_owned(),
                "queue_tolerance" => "generator.tolerance".to_owned(),
                "tail_steps" => "distance.tail_steps or generator.tail_steps".to_owned(),
                "predictor_sees" => "distance.input".to_owned(),
                "predictor_target" => "distance.target.kind".to_owned(),
                "predictor_window_steps" => "distance.target.steps".to_owned(),
                "predictor_hit_radius_m" => "distance.target.radius_m".to_owned(),
                "radius_m" | "epsilon_steps" | "feasible_goals" => format!("distance.{flat}"),
                _ => return None,
            })
        })
}

/// The same settings as tables; those that the chosen kinds do not have are dropped, as they did nothing.
pub(super) fn nested(flat: &Table) -> Result<Table> {
    let mut all: Table = include_str!("version-1.toml").parse()?;
    if let Some(unknown) = flat.keys().find(|key| !all.contains_key(*key)) {
        let known: Vec<&str> = all.keys().map(String::as_str).collect();
        return Err(anyhow!(super::unknown_setting(unknown, &known)));
    }
    all.extend(flat.clone());
    let get = |key: &str| all.get(key).cloned().unwrap_or(Value::Boolean(false));
    let word = |key: &str| get(key).as_str().unwrap_or_default().to_owned();
    let renamed = |kind: Option<&str>, pairs: &[(&str, &str)]| {
        let kind = kind.map(|kind| ("kind".to_owned(), Value::from(kind)));
        let pairs = pairs.iter().map(|(old, new)| ((*new).to_owned(), get(old)));
        kind.into_iter().chain(pairs).collect::<Table>()
    };
    let kept = KEPT.map(|key| (key.to_owned(), get(key)));
    let mut table = Table::from_iter(kept);
    let mut put = |key: &str, inner: Table| table.insert(key.to_owned(), Value::Table(inner));
    put(
        "learner",
        renamed(Some("trpo"), &LEARNER.map(|key| (key, key))),
    );
    put("evaluation", renamed(None, &EVALUATION));
    put("labels", renamed(Some(&word("labels")), &LABELS));
    let generator = word("generator");
    put(
        "generator",
        match generator.as_str() {
            "goal_gan" => renamed(Some("goal_gan"), &GAN),
            "action_noise" => renamed(Some("action_noise"), &QUEUE),
            other => renamed(Some(other), &[]),
        },
    );
    let distance = word("distance");
    put(
        "distance",
        match distance.as_str() {
            "euclidean" | "l2" => renamed(
                Some("euclidean"),
                &[
                    ("radius_m", "radius_m"),
                    ("feasible_goals", "feasible_goals"),
                ],
            ),
            kind => {
                let mut inner = renamed(Some(kind), &PREDICTOR);
                inner.insert("epsilon_steps".to_owned(), get("epsilon_steps"));
                inner.insert("input".to_owned(), get("predictor_sees"));
                inner.insert(
                    "target".to_owned(),
                    Value::Table(target(&word("predictor_target"), &renamed)),
                );
                if kind == "off_policy" {
                    inner.insert("tail_steps".to_owned(), get("tail_steps"));
                }
                inner
            }
        },
    );
    Ok(table)
}

/// Makes a table of a kind and of flat settings under their new names.
type Renamed<'a> = &'a dyn Fn(Option<&str>, &[(&str, &str)]) -> Table;

fn target(kind: &str, renamed: Renamed<'_>) -> Table {
    let steps = ("predictor_window_steps", "steps");
    let radius = ("predictor_hit_radius_m", "radius_m");
    match kind {
        "window" => renamed(Some(kind), &[steps]),
        "first_passage" => renamed(Some(kind), &[radius]),
        other => renamed(Some(other), &[radius, steps]),
    }
}

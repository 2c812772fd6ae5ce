//! Specs as tables with a `kind`: a setting that the kind does not have is an unknown key.

use isochrone::curriculum::GoalFilter;
use isochrone::goal_generator::GeneratorSpec;
use isochrone::learner::LearnerSpec;
use isochrone::train::{EpsilonSpec, EvaluationSpec, LabelSpec, PlannerSpec};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

/// Reads back to the same table, and refuses it with one more or one fewer key.
fn assert_strict<T: Serialize + DeserializeOwned>(table: &Value) {
    let spec: T = serde_json::from_value(table.clone()).unwrap();
    assert_eq!(serde_json::to_value(&spec).unwrap(), *table);
    let mut more = table.clone();
    more["unheard_of"] = json!(1);
    let error = serde_json::from_value::<T>(more).err().unwrap().to_string();
    assert!(error.contains("unknown field `unheard_of`"), "{error}");
    let Some(keys) = table.as_object().map(|t| t.keys().cloned()) else {
        panic!("{table} is no table");
    };
    // Specs of earlier versions lack these.
    for key in keys.filter(|key| key != "long_horizon_steps") {
        let mut fewer = table.clone();
        fewer.as_object_mut().unwrap().remove(&key);
        let error = serde_json::from_value::<T>(fewer).err().unwrap();
        let error = error.to_string();
        assert!(error.contains(&format!("missing field `{key}`")), "{error}");
    }
}

#[test]
fn generators_refuse_settings_of_other_kinds() {
    for table in [
        json!({"kind": "uniform"}),
        json!({
            "kind": "goal_gan", "noise_dims": 4, "generator_hidden": [8], "discriminator_hidden": [8],
            "learning_rate": 1e-3, "batch": 64, "iterations": 200, "initial_iterations": 200, "noise_std_m": 0.1
        }),
        json!({"kind": "action_noise", "size": 500, "replaced": 30, "tolerance": 1e-4, "tail_steps": 100}),
        json!({"kind": "frontier", "neighbours": 10, "candidates": 10, "kept_states": 5_000}),
    ] {
        assert_strict::<GeneratorSpec>(&table);
    }
    let idle = json!({"kind": "uniform", "iterations": 200});
    assert!(serde_json::from_value::<GeneratorSpec>(idle).is_err());
}

#[test]
fn learners_labels_and_evaluations_refuse_unknown_settings() {
    assert_strict::<LearnerSpec>(&json!({
        "kind": "trpo", "input": "state_goal", "hidden": [64, 64], "std": "fixed", "first_std": 1.0, "baseline": "linear",
        "discount": 0.99, "lambda": 1.0, "timeout_value": "zero", "kl_limit": 0.01, "conjugate_steps": 10,
        "damping": 1e-5
    }));
    assert_strict::<LearnerSpec>(&json!({
        "kind": "sac", "input": "state_goal", "hidden": [64, 64], "learning_rate": 1e-3, "batch": 256, "tau": 0.005,
        "target_entropy": -1.0, "first_temperature": 0.1, "discount": 0.99, "reward": "step_cost",
        "max_distance": 50.0, "updates_per_step": 0.5,
        "warm_up_steps": 1_000, "replay_steps": 100_000, "future_share": 0.6, "final_share": 0.0, "random_share": 0.2, "imitation_weight": 0.0
    }));
    for kind in ["fresh", "training_paths"] {
        assert_strict::<LabelSpec>(&json!({"kind": kind, "rollouts": 4, "min": 0.1, "max": 0.9}));
    }
    assert_strict::<LabelSpec>(&json!({
        "kind": "pooled", "iterations": 3, "radius_m": 0.5, "min": 0.1, "max": 0.9
    }));
    assert_strict::<EvaluationSpec>(&json!({
        "radius_m": 0.3, "horizon_steps": 400, "long_horizon_steps": 1000, "rollouts": 2
    }));
}

#[test]
fn filters_planners_and_rules_of_epsilon_refuse_settings_of_other_kinds() {
    assert_strict::<GoalFilter>(&json!({"kind": "off"}));
    assert_strict::<GoalFilter>(&json!({"kind": "near_visited", "radius_m": 1.0}));
    assert_strict::<PlannerSpec>(&json!({"kind": "off"}));
    assert_strict::<PlannerSpec>(&json!({
        "kind": "waypoints", "landmarks": 300, "spacing": 1.5, "hop_steps": 25, "limit_steps": 75,
        "tail_steps": 100, "region": "within_epsilon", "hops_from": "replay"
    }));
    assert_strict::<EpsilonSpec>(&json!({"kind": "steps"}));
    assert_strict::<EpsilonSpec>(&json!({"kind": "share", "share": 0.05}));
    assert_strict::<EpsilonSpec>(&json!({
        "kind": "adaptive", "max_share": 0.1, "min_share": 0.02, "rate": 0.05
    }));
}

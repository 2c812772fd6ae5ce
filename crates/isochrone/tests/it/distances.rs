//! Every distance refuses states and goals of the wrong length.

use isochrone::comm::Single;
use isochrone::distance::{
    Distance, DistanceError, Euclidean, FeasibleEuclidean, GoalLifted, GoalSet, Learned,
    PlaceDistance,
};
use isochrone::embedding::{Architecture, DistanceSpec, DistanceTrainer, Part, TrainError};
use isochrone::env::ObservationSpec;
use isochrone::goal::{GoalSpace, Proposals};
use isochrone::pairs::Episodes;
use isochrone::rng::Seed;
use isochrone::task::Task;
use std::sync::Arc;

fn learned(inputs: usize) -> Learned {
    let trainer = DistanceTrainer::new(DistanceSpec::paper(inputs, 10), Seed(0)).unwrap();
    trainer.distance().unwrap()
}

fn is_length<T>(found: &Result<T, DistanceError>) -> bool {
    matches!(found, Err(DistanceError::Length { .. }))
}

#[test]
fn states_and_goals_of_the_wrong_length_are_refused() {
    let lifted = Proposals::new(vec![0.0; 3], vec![(0, 0), (1, 1)]).unwrap();
    // Each with the entries of its states and of its goals.
    let all: [(&dyn Distance, usize, usize); 5] = [
        (&Euclidean, 3, 3),
        (&FeasibleEuclidean::new(Arc::new(|_| true)), 3, 3),
        (&PlaceDistance::new(vec![0, 2]), 3, 3),
        (&learned(3), 3, 3),
        (&GoalLifted::new(learned(3), lifted), 3, 2),
    ];
    for (at, (distance, states, goals)) in all.into_iter().enumerate() {
        let (state, goal) = (vec![0.5; states], vec![0.25; goals]);
        assert!(distance.between(&state, &goal).unwrap().is_finite());
        let embedded = distance.embed_goal(&goal).unwrap();
        let same = distance.to_embedded_goal(&state, &embedded).unwrap();
        assert!((same - distance.between(&state, &goal).unwrap()).abs() < 1e-12);
        for wrong in [0, 1, 4, 41] {
            let wrong = vec![0.5; wrong];
            assert!(is_length(&distance.between(&wrong, &goal)), "{at}");
            assert!(is_length(&distance.between(&state, &wrong)), "{at}");
            assert!(
                is_length(&distance.to_embedded_goal(&wrong, &embedded)),
                "{at}"
            );
        }
    }
    let error = Euclidean.between(&[0.0], &[0.0, 1.0]).unwrap_err();
    assert_eq!(
        error.to_string(),
        "a goal of 2 entries was given; this distance takes 1"
    );
}

#[test]
fn embeddings_sets_and_tasks_refuse_them_too() {
    let learned = learned(2);
    assert!(is_length(&learned.embed(&[0.0; 3])));
    assert!(is_length(&learned.embed_in_steps(&[0.0])));
    assert!(is_length(&learned.symmetric(&[0.0; 2], &[0.0; 3])));
    assert!(is_length(&GoalSet::new(&learned, &[0.0; 5])));
    let set = GoalSet::new(&learned, &[0.0; 4]).unwrap();
    assert_eq!(set.len(), 2);
    assert!(is_length(&set.nearest(&[0.0; 3])));
    let point = learned.embed(&[0.0; 2]).unwrap();
    assert!(learned.metric().one_way(&point, &point[1..]).is_nan());
    let space = GoalSpace::entries(&[0, 1], &ObservationSpec::vector(4)).unwrap();
    let task = Task {
        space: &space,
        distance: &learned,
        radius: 1.0,
    };
    assert!(task.distance_to(&[0.0; 4], &[0.0; 2]).is_ok());
    assert!(is_length(&task.distance_to(&[0.0; 2], &[0.0; 2])));
    assert!(is_length(&task.distance_to(&[0.0; 4], &[0.0; 4])));
}

#[test]
fn what_is_no_row_of_a_table_is_refused() {
    let mut spec = DistanceSpec::paper(1, 10);
    spec.encoder.architecture = Architecture::Table { states: 3 };
    let mut trainer = DistanceTrainer::new(spec, Seed(0)).unwrap();
    let distance = trainer.distance().unwrap();
    assert!(distance.between(&[0.0], &[2.0]).is_ok());
    for index in [-1.0, 3.0, 0.5, f32::NAN] {
        let refused = distance.between(&[index], &[0.0]);
        assert!(
            matches!(refused, Err(DistanceError::NoSuchState { .. })),
            "{index}"
        );
    }
    let states = [0.0, 1.0, 0.0, 3.0];
    let episodes = Episodes::new(&states, 1, vec![0..2, 2..4]).unwrap();
    let refused = trainer.epoch(&Part::whole(&episodes), 0, &Single);
    assert!(matches!(refused, Err(TrainError::State(_))), "{refused:?}");
}

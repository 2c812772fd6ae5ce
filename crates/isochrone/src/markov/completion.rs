//! A k-dimensional spectral distance that does not forget what its k dimensions leave out.
//!
//! Truncating the scaled spectral embedding always underestimates: at 10⁵ states 32 dimensions see half of
//! a typical commute time and almost nothing of a neighbour's. Keeping the exact diagonal of L† repairs the
//! bulk,
//!
//! ```text
//! n(i,j) ≈ l_ii + l_jj − 2 Σ_{k ≤ K} v_ik v_jk / λ_k
//! ```
//!
//! but overestimates neighbours two- or threefold, whose correlation lies in the dimensions left out. Their
//! exact times are in the selected inverse, so on an edge that value is used.

use super::eigenpairs::{Eigenpairs, EigenpairsError, Progress};
use super::grounded::Grounded;
use super::laplacian::GraphLaplacian;

/// Commute times from K eigenpairs, the exact diagonal and the exact edges.
#[derive(Clone, Debug)]
pub struct CompletedEmbedding<'a> {
    graph: &'a GraphLaplacian,
    /// The smallest eigenpairs of the Laplacian.
    pub pairs: Eigenpairs,
    /// `l_ii`, the diagonal of L†.
    pub diagonal: Vec<f64>,
    /// Exact commute time of every edge, in the graph's order.
    on_edge: Vec<f64>,
}

impl<'a> CompletedEmbedding<'a> {
    /// Computes `dims` eigenpairs, the diagonal and the edges through one factor.
    pub fn new(
        graph: &'a GraphLaplacian,
        grounded: &Grounded,
        dims: usize,
        watch: &mut dyn FnMut(Progress),
    ) -> Result<Self, EigenpairsError> {
        let pairs = Eigenpairs::smallest(graph, grounded, dims, watch)?;
        let resistances = grounded.resistances();
        let of_edge = |u: usize| {
            let exact = |(v, _)| resistances.commute_on_edge(u, v).unwrap_or(f64::NAN);
            graph.edges(u).map(exact).collect::<Vec<_>>()
        };
        Ok(Self {
            graph,
            pairs,
            diagonal: resistances.pseudo_inverse_diagonal(),
            on_edge: (0..graph.n_states()).flat_map(of_edge).collect(),
        })
    }

    /// The commute time of two states: exact for neighbours, completed from K dimensions for the rest.
    pub fn commute(&self, i: usize, j: usize) -> f64 {
        if i == j {
            return 0.0;
        }
        if let Some(at) = self.graph.edge_index(i, j) {
            return self.on_edge[at];
        }
        self.diagonal[i] + self.diagonal[j] - 2.0 * self.product(i, j)
    }

    /// The commute time in the K dimensions alone: always an underestimate.
    pub fn truncated_commute(&self, i: usize, j: usize) -> f64 {
        self.product(i, i) + self.product(j, j) - 2.0 * self.product(i, j)
    }

    /// `Σ_k v_ik v_jk / λ_k`.
    fn product(&self, i: usize, j: usize) -> f64 {
        let v = &self.pairs.vectors;
        let terms = self.pairs.eigenvalues.iter().enumerate();
        terms
            .map(|(k, lambda)| v[(i, k)] * v[(j, k)] / lambda)
            .sum()
    }
}

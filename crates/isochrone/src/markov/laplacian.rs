//! The Laplacian of a chain and its pseudo-inverse, from which commute times are read off.

use super::chain::Chain;
use super::sparse_cholesky::{LowerColumns, NotFactored, n_negative_eigenvalues};
use faer::linalg::solvers::DenseSolveCore;
use faer::prelude::*;

/// The paper's Laplacian, dense:
///
/// ```text
/// L = D − W,   W_uv = ½ ρ(u)P(v|u) + ½ ρ(v)P(u|v),   D = diag(ρ)          Method §4.2, Eq. (15)
/// ```
///
/// Its volume `V_G = Σ D_ii` is 1, so the factors √V_G in the paper are 1 here. For a non-reversible
/// chain this is the Laplacian of the *reversibilised* chain, and its commute times are too large (1.06–3.2
/// times in the examples): use [`directed_laplacian`] there.
pub fn laplacian(chain: &Chain, rho: &[f64]) -> Mat<f64> {
    symmetric_part(&directed_laplacian(chain, rho))
}

/// `𝓛 = diag(ρ)(I − P)`, not symmetrised.
///
/// Commute times need no reversibility: with `B = ½(𝓛† + 𝓛†ᵀ)`, symmetrised **after** the pseudo-inverse,
/// `n(i,j) = B_ii + B_jj − 2B_ij` for every irreducible chain (`oracle::non_reversible_chains`).
pub fn directed_laplacian(chain: &Chain, rho: &[f64]) -> Mat<f64> {
    let n = chain.n_states();
    let mut l = Mat::from_fn(n, n, |i, j| if i == j { rho[i] } else { 0.0 });
    for i in 0..n {
        for (j, p) in chain.row(i) {
            l[(i, j)] -= rho[i] * p;
        }
    }
    l
}

/// `½(A + Aᵀ)`.
pub fn symmetric_part(a: &Mat<f64>) -> Mat<f64> {
    Mat::from_fn(a.nrows(), a.ncols(), |i, j| {
        f64::midpoint(a[(i, j)], a[(j, i)])
    })
}

/// Pseudo-inverse of a Laplacian whose rows and columns sum to zero,
///
/// ```text
/// L† = (L + 11ᵀ/n)⁻¹ − 11ᵀ/n                                              Appendix A.3
/// ```
///
/// with `1/n` scaled to the size of L's diagonal, so that states visited once in 10⁶ steps lose no digits:
/// `(L + c·11ᵀ)⁻¹ − 11ᵀ/(c n²)` is the same matrix for every c > 0.
pub fn pseudo_inverse(l: &Mat<f64>) -> Mat<f64> {
    let n = l.nrows();
    if n < 2 {
        return Mat::zeros(n, n);
    }
    let scale = (0..n).map(|i| l[(i, i)]).sum::<f64>() / (n * n) as f64;
    let shifted = Mat::from_fn(n, n, |i, j| l[(i, j)] + scale);
    let shift = 1.0 / (scale * (n * n) as f64);
    let inverse = shifted.partial_piv_lu().inverse();
    Mat::from_fn(n, n, |i, j| inverse[(i, j)] - shift)
}

/// `n(i,j) = l_ii + l_jj − l_ij − l_ji`, Eq. (17) with V_G = 1.
pub fn commute_from_pseudo_inverse(l: &Mat<f64>) -> Mat<f64> {
    let n = l.nrows();
    Mat::from_fn(n, n, |i, j| l[(i, i)] + l[(j, j)] - l[(i, j)] - l[(j, i)])
}

/// The paper's Laplacian, sparse: the weighted graph of a chain, without self-loops (they cancel in
/// D − W).
#[derive(Clone, Debug)]
pub struct GraphLaplacian {
    start: Vec<usize>,
    neighbour: Vec<u32>,
    weight: Vec<f64>,
    degree: Vec<f64>,
}

impl GraphLaplacian {
    /// The graph with `W_uv = ½ ρ(u)P(v|u) + ½ ρ(v)P(u|v)` on its edges.
    pub fn new(chain: &Chain, rho: &[f64]) -> Self {
        let n = chain.n_states();
        let predecessors = chain.predecessors();
        let mut graph = Self {
            start: Vec::with_capacity(n + 1),
            neighbour: Vec::with_capacity(chain.n_transitions()),
            weight: Vec::with_capacity(chain.n_transitions()),
            degree: Vec::with_capacity(n),
        };
        graph.start.push(0);
        let mut row: Vec<u32> = Vec::new();
        for u in 0..n {
            row.clear();
            row.extend(chain.successors(u));
            row.extend(predecessors.of(u));
            row.sort_unstable();
            row.dedup();
            let mut degree = 0.0;
            for &v in row.iter().filter(|&&v| v as usize != u) {
                let v_state = v as usize;
                let out = rho[u] * chain.probability(u, v_state);
                let back = rho[v_state] * chain.probability(v_state, u);
                let weight = f64::midpoint(out, back);
                graph.neighbour.push(v);
                graph.weight.push(weight);
                degree += weight;
            }
            graph.degree.push(degree);
            graph.start.push(graph.neighbour.len());
        }
        graph
    }

    /// Number of states.
    pub fn n_states(&self) -> usize {
        self.degree.len()
    }

    /// `L_uu`: the total weight of the edges at u.
    pub fn degree(&self, u: usize) -> f64 {
        self.degree[u]
    }

    /// The edges at u: `(v, W_uv)`, by v.
    pub fn edges(&self, u: usize) -> impl Iterator<Item = (usize, f64)> {
        let range = self.start[u]..self.start[u + 1];
        let neighbours = self.neighbour[range.clone()].iter().map(|&v| v as usize);
        neighbours.zip(self.weight[range].iter().copied())
    }

    /// Where the edge from u to v stands among all edges, counted state by state.
    pub(super) fn edge_index(&self, u: usize, v: usize) -> Option<usize> {
        let range = self.start[u]..self.start[u + 1];
        let at = self.neighbour[range.clone()]
            .binary_search(&(v as u32))
            .ok()?;
        Some(range.start + at)
    }

    /// `xᵀLx / xᵀx`, summed over edges: `Σ_{u<v} W_uv (x_u − x_v)²` loses no digits to cancellation.
    pub(super) fn rayleigh_quotient(&self, x: ColRef<'_, f64>) -> f64 {
        let energy = |u: usize| {
            let above = self.edges(u).filter(move |&(v, _)| v > u);
            above
                .map(|(v, w)| w * (x[u] - x[v]) * (x[u] - x[v]))
                .sum::<f64>()
        };
        (0..self.n_states()).map(energy).sum::<f64>() / x.squared_norm_l2()
    }

    /// How many eigenvalues of L lie below σ, by the inertia of `L − σI`, eliminated in `order`.
    pub(super) fn n_eigenvalues_below(
        &self,
        sigma: f64,
        order: &[usize],
    ) -> Result<usize, NotFactored> {
        let mut lower = LowerColumns {
            start: vec![0],
            row: Vec::new(),
            value: Vec::new(),
        };
        for u in 0..self.n_states() {
            lower.row.push(u as u32);
            lower.value.push(self.degree(u) - sigma);
            for (v, weight) in self.edges(u).filter(|&(v, _)| v > u) {
                lower.row.push(v as u32);
                lower.value.push(-weight);
            }
            lower.start.push(lower.row.len() as u32);
        }
        n_negative_eigenvalues(&lower, order)
    }

    /// `L x`.
    pub fn apply(&self, x: &[f64]) -> Vec<f64> {
        let row = |u| self.edges(u).map(|(v, w)| w * (x[u] - x[v])).sum();
        (0..self.n_states()).map(row).collect()
    }
}

//! How well a roadmap hangs together.

use super::Roadmap;

/// Which share of the landmarks can be reached from each other.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Connectivity {
    /// Of all landmarks, the share in the largest strongly connected component: routes lead from each of them to each.
    pub largest_share: f64,
    /// Strongly connected components.
    pub components: usize,
    /// Landmarks that no hop leads to or from.
    pub isolated: usize,
}

/// Tarjan's strongly connected components of all hops that routes take.
pub fn connectivity(map: &Roadmap) -> Connectivity {
    let sizes = Components::of(map).sizes;
    let n = map.len();
    let mut has_hop = vec![false; n];
    for from in 0..n {
        for to in map.hops.next_from(from) {
            (has_hop[from], has_hop[to]) = (true, true);
        }
    }
    let largest = sizes.iter().copied().max().unwrap_or(0);
    Connectivity {
        largest_share: largest as f64 / n.max(1) as f64,
        components: sizes.len(),
        isolated: has_hop.iter().filter(|has| !**has).count(),
    }
}

struct Components {
    order: Vec<usize>,
    low: Vec<usize>,
    is_open: Vec<bool>,
    open: Vec<usize>,
    met: usize,
    sizes: Vec<usize>,
}

/// Not met yet.
const UNMET: usize = usize::MAX;

impl Components {
    fn of(map: &Roadmap) -> Self {
        let n = map.len();
        let mut found = Self {
            order: vec![UNMET; n],
            low: vec![UNMET; n],
            is_open: vec![false; n],
            open: Vec::new(),
            met: 0,
            sizes: Vec::new(),
        };
        for root in 0..n {
            if found.order[root] == UNMET {
                found.visit(map, root);
            }
        }
        found
    }

    /// Depth first without recursion: a corridor of 10⁵ landmarks would overflow the stack.
    fn visit(&mut self, map: &Roadmap, root: usize) {
        let mut path = vec![(root, 0)];
        self.meet(root);
        while let Some((here, next)) = path.pop() {
            let hops = map.hops.out_of(here);
            let Some(hop) = hops.get(next) else {
                self.close(here);
                if let Some((before, _)) = path.last() {
                    self.low[*before] = self.low[*before].min(self.low[here]);
                }
                continue;
            };
            path.push((here, next + 1));
            let to = hop.to as usize;
            if !map.hops.leads(here, to) {
            } else if self.order[to] == UNMET {
                self.meet(to);
                path.push((to, 0));
            } else if self.is_open[to] {
                self.low[here] = self.low[here].min(self.order[to]);
            }
        }
    }

    fn meet(&mut self, landmark: usize) {
        (self.order[landmark], self.low[landmark]) = (self.met, self.met);
        self.met += 1;
        self.is_open[landmark] = true;
        self.open.push(landmark);
    }

    /// All that was met since a component's first landmark is the component.
    fn close(&mut self, landmark: usize) {
        if self.low[landmark] != self.order[landmark] {
            return;
        }
        let mut size = 0;
        while let Some(member) = self.open.pop() {
            self.is_open[member] = false;
            size += 1;
            if member == landmark {
                break;
            }
        }
        self.sizes.push(size);
    }
}

//! Boxes that walls are made of, seen from above.

/// A rectangle with sides along x and y.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct WallBox {
    /// Its middle.
    pub centre_m: [f64; 2],
    /// Half its lengths along x and y.
    pub half_m: [f64; 2],
}

impl WallBox {
    /// Whether a place is inside, the border included.
    pub fn holds(&self, place_m: [f64; 2]) -> bool {
        self.is_within(place_m, 0.0)
    }

    /// Whether a square of this half width round a place touches the box.
    pub fn is_within(&self, place_m: [f64; 2], half_width_m: f64) -> bool {
        (0..2).all(|k| (place_m[k] - self.centre_m[k]).abs() <= self.half_m[k] + half_width_m)
    }

    /// Whether the segment between two places touches the box. Along each axis a part of the segment is level with the box;
    /// the segment touches it if these parts overlap.
    pub fn meets(&self, from_m: [f64; 2], to_m: [f64; 2]) -> bool {
        let (mut enter, mut leave) = (0.0_f64, 1.0_f64);
        for k in 0..2 {
            let (start, length) = (from_m[k] - self.centre_m[k], to_m[k] - from_m[k]);
            if length == 0.0 {
                if start.abs() > self.half_m[k] {
                    return false;
                }
                continue;
            }
            let sides = [-self.half_m[k], self.half_m[k]].map(|side| (side - start) / length);
            enter = enter.max(sides[0].min(sides[1]));
            leave = leave.min(sides[0].max(sides[1]));
        }
        enter <= leave
    }
}

//! Symmetric matrices, as far as predictions need them.

/// A symmetric matrix.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Matrix {
    size: usize,
    /// Row by row.
    values: Vec<f64>,
}

impl Matrix {
    /// A matrix with `value` in its diagonal, and zeros.
    pub(crate) fn diagonal(size: usize, value: f64) -> Self {
        let mut values = vec![0.0; size * size];
        for one in values.iter_mut().step_by(size + 1) {
            *one = value;
        }
        Self { size, values }
    }

    /// Adds a vector's products with itself.
    pub(crate) fn add_square(&mut self, of: &[f64], weight: f64) {
        for (row, one) in self.values.chunks_exact_mut(self.size).zip(of) {
            for (sum, other) in row.iter_mut().zip(of) {
                *sum += weight * one * other;
            }
        }
    }

    /// Adds another matrix, times `factor`.
    pub(crate) fn add(&mut self, other: &Self, factor: f64) {
        for (sum, more) in self.values.iter_mut().zip(&other.values) {
            *sum += factor * more;
        }
    }

    /// The inverse, by Gauss and Jordan: a positive definite matrix needs no
    /// pivots. None if it is not one.
    pub(crate) fn inverse(mut self) -> Option<Self> {
        let size = self.size;
        for pivot in 0..size {
            let divisor = self.values[pivot * size + pivot];
            if !divisor.is_finite() || divisor <= 1e-9 {
                return None;
            }
            let mut pivot_row = self.row(pivot).to_vec();
            pivot_row[pivot] = 1.0;
            for value in &mut pivot_row {
                *value /= divisor;
            }
            for (place, row) in self.values.chunks_exact_mut(size).enumerate() {
                if place == pivot {
                    row.copy_from_slice(&pivot_row);
                    continue;
                }
                let factor = std::mem::take(&mut row[pivot]);
                for (value, of) in row.iter_mut().zip(&pivot_row) {
                    *value -= factor * of;
                }
            }
        }
        Some(self)
    }

    fn row(&self, place: usize) -> &[f64] {
        &self.values[place * self.size..(place + 1) * self.size]
    }

    /// Makes the inverse of a matrix that of the same without a row and column,
    /// which become zeros.
    pub(crate) fn remove(&mut self, place: usize) {
        let row = self.row(place).to_vec();
        for (values, one) in self.values.chunks_exact_mut(self.size).zip(&row) {
            for (value, other) in values.iter_mut().zip(&row) {
                *value -= one * other / row[place];
            }
            values[place] = 0.0;
        }
        for value in &mut self.values[place * self.size..(place + 1) * self.size] {
            *value = 0.0;
        }
    }

    /// For an inverse: what is left of each value without what the others predict.
    /// Of removed ones, zero.
    pub(crate) fn rests(&self, values: &[f64]) -> Vec<f64> {
        let rest = |place: usize| {
            let row = self.row(place);
            let sum: f64 = row.iter().zip(values).map(|(of, value)| of * value).sum();
            if row[place] > 0.0 {
                sum / row[place]
            } else {
                0.0
            }
        };
        (0..self.size).map(rest).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Some positive definite matrix.
    fn matrix(size: usize) -> Matrix {
        let mut matrix = Matrix::diagonal(size, 2.0);
        for number in 0..3 * size {
            let value = |place: usize| ((number * 7 + place * 13) % 11) as f64 / 5.0 - 1.0;
            matrix.add_square(&(0..size).map(value).collect::<Vec<f64>>(), 0.5);
        }
        matrix
    }

    #[test]
    fn a_matrix_times_its_inverse_is_one() {
        let (of, inverse) = (matrix(5), matrix(5).inverse().unwrap());
        for row in 0..5 {
            for column in 0..5 {
                let product =
                    (0..5).map(|k| of.values[row * 5 + k] * inverse.values[k * 5 + column]);
                let expected = if row == column { 1.0 } else { 0.0 };
                assert!((product.sum::<f64>() - expected).abs() < 1e-9);
            }
        }
        assert_eq!(Matrix::diagonal(3, 0.0).inverse(), None);
        assert_eq!(Matrix::diagonal(3, f64::NAN).inverse(), None);
    }

    #[test]
    fn a_removed_function_predicts_nothing() {
        let mut inverse = matrix(5).inverse().unwrap();
        inverse.remove(2);
        let values = [1.0, -2.0, 77.0, 0.5, 3.0];
        let rests = inverse.rests(&values);
        assert_eq!(rests[2], 0.0);
        // The same without it from the start.
        let of = matrix(5);
        let mut without = Matrix::diagonal(4, 0.0);
        let kept = [0, 1, 3, 4];
        for (row, from) in without.values.chunks_exact_mut(4).zip(kept) {
            for (value, column) in row.iter_mut().zip(kept) {
                *value = of.values[from * 5 + column];
            }
        }
        let expected = without
            .inverse()
            .unwrap()
            .rests(&kept.map(|place| values[place]));
        for (place, expected) in kept.into_iter().zip(expected) {
            assert!((rests[place] - expected).abs() < 1e-9);
        }
    }

    #[test]
    fn what_another_function_predicts_is_taken_out() {
        // Two functions that move together, one that does not.
        let mut products = Matrix::diagonal(3, 1.0);
        for number in 0..200 {
            let (a, b) = (f64::from(number % 7) - 3.0, f64::from(number % 5) - 2.0);
            products.add_square(&[a, 2.0 * a, b], 1.0);
        }
        let inverse = products.inverse().unwrap();
        let rests = inverse.rests(&[3.0, 6.0, 2.0]);
        assert!(rests[0].abs() < 0.05 && rests[1].abs() < 0.05, "{rests:?}");
        assert!((rests[2] - 2.0).abs() < 0.1, "{rests:?}");
        let rests = inverse.rests(&[3.0, 7.0, 2.0]);
        assert!((rests[1] - 1.0).abs() < 0.05, "{rests:?}");
    }
}

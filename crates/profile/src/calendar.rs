//! The civil calendar in UTC: days since 1970-01-01 as dates, and back.
//!
//! All titles, filters and names with a date use it. Years begin in March here, so
//! that the leap day is the last day of its year (Howard Hinnant, "chrono-Compatible
//! Low-Level Date Algorithms").

/// A day of the calendar.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Date {
    /// The year.
    pub year: u64,
    /// From 1 to 12.
    pub month: u64,
    /// From 1 to 31.
    pub day: u64,
}

/// The days of a period of 400 years.
const DAYS_OF_ERA: u64 = 146_097;
/// The days from March 1 of the year 0 to 1970-01-01.
const BEFORE_1970: u64 = 719_468;

impl Date {
    /// The date of a day, counted from 1970-01-01.
    #[must_use]
    pub fn of_day(days: u64) -> Self {
        let days = days.saturating_add(BEFORE_1970);
        let (era, of_era) = (days / DAYS_OF_ERA, days % DAYS_OF_ERA);
        let year = (of_era - of_era / 1460 + of_era / 36_524 - of_era / 146_096) / 365;
        let of_year = of_era - (365 * year + year / 4 - year / 100);
        let month = (5 * of_year + 2) / 153;
        let day = of_year - (153 * month + 2) / 5 + 1;
        let month = if month < 10 { month + 3 } else { month - 9 };
        let year = era * 400 + year + u64::from(month <= 2);
        Self { year, month, day }
    }

    /// The date of an instant, in seconds since 1970.
    #[must_use]
    pub fn of_seconds(seconds: u64) -> Self {
        Self::of_day(seconds / 86_400)
    }

    /// A date written as `2026-11-22`; none for any other text, for a day that its month does not
    /// have, and before 1970.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let mut parts = text.split('-');
        let mut number = |digits: usize| {
            let part = parts.next().filter(|part| part.len() == digits)?;
            let is_number = part.bytes().all(|byte| byte.is_ascii_digit());
            is_number.then(|| part.parse::<u64>().ok())?
        };
        let (year, month, day) = (number(4)?, number(2)?, number(2)?);
        let date = Self { year, month, day };
        let is_date = parts.next().is_none() && year >= 1970 && Self::of_day(date.days()) == date;
        is_date.then_some(date)
    }

    /// The days since 1970-01-01.
    #[must_use]
    pub fn days(self) -> u64 {
        let Self { year, month, day } = self;
        let year = if month < 3 {
            year.saturating_sub(1)
        } else {
            year
        };
        let of_year = (153 * ((month + 9) % 12) + 2) / 5 + day.saturating_sub(1);
        let days = year * 365 + year / 4 - year / 100 + year / 400 + of_year;
        days.saturating_sub(BEFORE_1970)
    }
}

impl std::fmt::Display for Date {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { year, month, day } = self;
        write!(f, "{year:04}-{month:02}-{day:02}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_have_their_dates() {
        for (seconds, date) in [
            (0, "1970-01-01"),
            (951_782_399, "2000-02-28"),
            (951_782_400, "2000-02-29"),
            (951_868_800, "2000-03-01"),
            (1_700_000_000, "2023-11-14"),
            (1_795_305_600, "2026-11-22"),
            (4_102_444_800, "2100-01-01"),
            (4_107_542_400, "2100-03-01"),
        ] {
            assert_eq!(Date::of_seconds(seconds).to_string(), date);
            assert_eq!(Date::parse(date), Some(Date::of_seconds(seconds)));
        }
    }

    #[test]
    fn every_day_is_a_date_and_back() {
        let mut last = String::new();
        for days in 0..200_000 {
            let date = Date::of_day(days);
            assert_eq!(date.days(), days);
            let text = date.to_string();
            assert!(text > last, "{text}");
            last = text;
        }
    }

    #[test]
    fn other_texts_are_no_dates() {
        for text in [
            "2026-13-01",
            "2026-00-01",
            "2026-11-00",
            "2026-02-29",
            "2026-04-31",
            "2100-02-29",
            "26-1-1",
            "2026-11-22-1",
            "x",
            "+026-01-01",
            "1969-12-31",
        ] {
            assert_eq!(Date::parse(text), None, "{text}");
        }
    }
}

//! The search for the quickest forms that are right on a device.
//!
//! A device starts with all types that it reports and with the first candidate of each group. It is
//! asked, what fails goes on to the next candidate, and so on until nothing fails. The last
//! candidate of a group is never asked about: it is right on every target.

use samebits_ir::soft::plan::{Form, Group, Native};
use samebits_ir::types::Scalar;

/// What may be right or wrong on a device.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Subject {
    /// Whether the device's own values of a type are used at all.
    Type(Scalar),
    /// A group of ops, in the form that is tried at the moment.
    Group(Group),
}

/// What a question is about.
#[derive(Clone, Debug)]
pub(super) struct About {
    /// What is wrong if the answer is.
    pub blamed: Vec<Subject>,
    /// What has to be right for the answer to mean anything.
    pub rests_on: Vec<Subject>,
}

/// What is known of a device so far.
#[derive(Debug)]
pub(super) struct Search {
    native: Native,
    /// The types that are tried.
    types: Vec<Scalar>,
    /// The place of each group's form among its candidates.
    places: Vec<usize>,
    /// What has passed.
    passed: Vec<Subject>,
    /// Whether a back end can write a group in a form.
    writes: fn(Group, Form) -> bool,
}

impl Search {
    /// A device that has these types, and kernels for it in these forms.
    pub fn new(types: &[Scalar], writes: fn(Group, Form) -> bool) -> Self {
        let places = vec![0; Group::ALL.len()];
        let mut search = Self { native: Native::SOFTWARE, types: types.to_vec(), places, passed: Vec::new(), writes };
        search.settle();
        search
    }

    /// What the device is taken to have: at the end what it has.
    pub const fn native(&self) -> Native {
        self.native
    }

    /// Whether a subject is still to be asked about.
    pub fn is_open(&self, subject: Subject) -> bool {
        let is_tried = match subject {
            Subject::Type(scalar) => self.types.contains(&scalar),
            Subject::Group(group) => Some(&self.native.form(group)) != group.candidates().last(),
        };
        is_tried && !self.passed.contains(&subject)
    }

    /// Whether a question is to be asked now.
    pub fn asks(&self, about: &About) -> bool {
        about.blamed.iter().any(|&subject| self.is_open(subject))
    }

    /// Takes the answers to all questions that were asked, with whether each was right.
    pub fn answer<'q>(&mut self, answers: impl Iterator<Item = (&'q About, bool)> + Clone) {
        let wrong: Vec<&About> = answers.clone().filter(|(_, right)| !right).map(|(about, _)| about).collect();
        // What a question rests on explains that it is wrong, and so does one of several that fails
        // by itself.
        let fails = |subject: &Subject| wrong.iter().any(|about| about.blamed.contains(subject));
        let fails_alone = |subject: &Subject| wrong.iter().any(|about| about.blamed == [*subject]);
        let is_clear = |about: &&&About| {
            !about.rests_on.iter().any(fails) && (about.blamed.len() == 1 || !about.blamed.iter().any(fails_alone))
        };
        let to_blame: Vec<Subject> = wrong.iter().filter(is_clear).flat_map(|about| about.blamed.clone()).collect();
        // Where each explains the other, all are to blame.
        let to_blame =
            if to_blame.is_empty() { wrong.iter().flat_map(|about| about.blamed.clone()).collect() } else { to_blame };
        let asked: Vec<Subject> = answers.flat_map(|(about, _)| about.blamed.clone()).collect();
        for subject in asked {
            let is_right = !wrong.iter().any(|about| about.blamed.contains(&subject));
            if is_right && !self.passed.contains(&subject) {
                self.passed.push(subject);
            }
        }
        self.types.retain(|&scalar| !to_blame.contains(&Subject::Type(scalar)));
        for &group in Group::ALL.iter().filter(|&&group| to_blame.contains(&Subject::Group(group))) {
            self.places[group as usize] += 1;
        }
        self.settle();
    }

    /// Gives each group the next candidate that can be written and rests on nothing that is not
    /// there. A group whose form changes has not passed.
    fn settle(&mut self) {
        let mut native = self.types.iter().fold(Native::SOFTWARE, |native, &scalar| native.having(scalar));
        for &group in Group::ALL {
            let candidates = group.candidates();
            let last = candidates.len() - 1;
            let place = &mut self.places[group as usize];
            let before = *place;
            let fits = |&at: &usize| (self.writes)(group, candidates[at]) && native.allows(group, candidates[at]);
            *place = (before..last).find(fits).unwrap_or(last);
            native = native.with(group, candidates[*place]);
            if *place != before {
                self.passed.retain(|&subject| subject != Subject::Group(group));
            }
        }
        self.native = native;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn about(blamed: &[Group], rests_on: &[Group]) -> About {
        let subjects = |groups: &[Group]| groups.iter().map(|&group| Subject::Group(group)).collect();
        About { blamed: subjects(blamed), rests_on: subjects(rests_on) }
    }

    /// A question of each group's own, and some of two.
    fn questions() -> Vec<About> {
        let own = Group::ALL.iter().map(|&group| about(&[group], &[]));
        let types = [Scalar::I64, Scalar::F64, Scalar::F16];
        let types = types.map(|scalar| About { blamed: vec![Subject::Type(scalar)], rests_on: Vec::new() });
        let two = [
            about(&[Group::Sum32, Group::Product32], &[]),
            about(&[Group::Fused32], &[Group::Sum32, Group::Product32]),
            about(&[Group::Root32], &[Group::Fused32]),
        ];
        own.chain(types).chain(two).collect()
    }

    /// Searches on a device that computes right what `is_right` says; gives what it has and how
    /// many rounds that took.
    fn search(is_right: impl Fn(&Native, Subject) -> bool) -> (Native, usize) {
        let questions = questions();
        let mut search = Search::new(&[Scalar::I64, Scalar::F64, Scalar::F16], |_, _| true);
        for round in 0.. {
            assert!(round < 40, "the search goes on for ever");
            let asked: Vec<&About> = questions.iter().filter(|about| search.asks(about)).collect();
            if asked.is_empty() {
                return (search.native(), round);
            }
            let native = search.native();
            let right =
                |about: &&About| about.blamed.iter().chain(&about.rests_on).all(|&subject| is_right(&native, subject));
            let answers: Vec<(&About, bool)> = asked.into_iter().map(|about| (about, right(&about))).collect();
            search.answer(answers.into_iter());
        }
        unreachable!("the loop ends")
    }

    #[test]
    fn a_device_that_is_right_has_the_first_candidates_after_one_round() {
        let (native, rounds) = search(|_, _| true);
        assert_eq!(rounds, 1);
        assert!(Group::ALL.iter().all(|&group| native.form(group) == group.candidates()[0]), "{native}");
        assert!(native.has_long() && native.has_double() && native.has_half());
    }

    #[test]
    fn a_device_that_is_always_wrong_has_nothing() {
        assert_eq!(search(|_, _| false).0, Native::SOFTWARE);
    }

    #[test]
    fn what_fails_goes_on_to_what_is_right_and_nothing_else_does() {
        for &group in Group::ALL {
            for wrong in 1..group.candidates().len() {
                let good = &group.candidates()[wrong..];
                let right =
                    |native: &Native, subject| subject != Subject::Group(group) || good.contains(&native.form(group));
                let (native, _) = search(right);
                let others_allowed = Group::ALL.iter().filter(|&&other| other != group);
                assert!(good.contains(&native.form(group)), "{native}");
                for &other in others_allowed {
                    let expected = other.candidates().iter().find(|&&form| native.allows(other, form));
                    assert_eq!(Some(&native.form(other)), expected, "{group:?} {other:?}");
                }
            }
        }
    }

    #[test]
    fn without_a_type_nothing_rests_on_it() {
        let (native, _) = search(|_, subject| subject != Subject::Type(Scalar::F64));
        assert!(!native.has_double() && native.has_long());
        assert_eq!(native.form(Group::Sum64), Form::Routine);
        assert_eq!(native.form(Group::Sum32), Form::Exact);
        assert_ne!(native.form(Group::Quotient32), Form::Wider);
    }

    #[test]
    fn forms_that_cannot_be_written_are_not_tried() {
        let search = Search::new(&[], |group, form| group == Group::Fused32 && form == Form::Function);
        assert_eq!(search.native(), Native::SOFTWARE.with(Group::Fused32, Form::Function));
    }
}

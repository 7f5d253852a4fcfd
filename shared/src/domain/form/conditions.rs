//! Conditions: which questions are asked of whom (Q8). A question depends on the one that its
//! condition names, on the one that that one depends on, and so on.

use std::collections::HashMap;

use crate::domain::form::model::Form;
use crate::domain::question::model::{Question, QuestionType};
use crate::ids::{Id, of};

/// What an applicant chose, as far as it decides which questions they are asked.
#[derive(Debug, Default)]
pub struct Choices {
    /// The committee that they apply to.
    pub committee: Option<Id<of::Committee>>,
    /// The chosen options of multiple-choice questions.
    pub options: HashMap<Id<of::Question>, Id<of::Choice>>,
}

impl Form {
    /// Returns the questions that a question depends on, the nearest first, each once. `question`
    /// may differ from what the form has under its id.
    pub fn chain(&self, question: &Question) -> Vec<&Question> {
        let mut chain: Vec<&Question> = Vec::new();
        let mut condition = question.prompt.show_if.as_ref();
        while let Some(next) = condition.and_then(|show_if| self.question(show_if.question)) {
            if chain.iter().any(|seen| seen.id == next.id) {
                break;
            }
            chain.push(next);
            condition = next.prompt.show_if.as_ref();
        }
        chain
    }

    /// Returns how many conditions the longest chain has that ends at this question.
    pub fn conditions_below(&self, id: Id<of::Question>) -> usize {
        let positions = self.questions.iter().filter_map(|question| {
            let depth = self
                .chain(question)
                .iter()
                .position(|above| above.id == id)?;
            Some(depth + 1)
        });
        positions.max().unwrap_or(0)
    }

    /// Returns the questions whose condition names this one.
    pub fn dependents(&self, id: Id<of::Question>) -> impl Iterator<Item = &Question> {
        let names = move |question: &&Question| {
            let condition = question.prompt.show_if.as_ref();
            condition.is_some_and(|show_if| show_if.question == id)
        };
        self.questions.iter().filter(names)
    }

    /// Returns whether the condition of a question holds for these choices. It does if there is
    /// none.
    pub fn holds(&self, question: &Question, choices: &Choices) -> bool {
        let chain = self.chain(question);
        let asking = std::iter::once(question).chain(chain.iter().copied());
        asking.zip(&chain).all(|(asking, above)| {
            let chosen = choices.options.get(&above.id);
            let condition = asking.prompt.show_if.as_ref();
            above.is_for(choices.committee)
                && condition
                    .zip(chosen)
                    .is_some_and(|(show_if, option)| show_if.options.contains(option))
        })
    }

    /// Returns whether each question with a condition is only for committees that are asked the
    /// question that it depends on.
    pub fn conditions_fit_committees(&self) -> bool {
        let fits = |question: &Question| {
            let chain = self.chain(question);
            chain.first().is_none_or(|above| question.is_within(above))
        };
        self.questions.iter().all(fits)
    }

    /// Removes deleted options from the conditions, and conditions of which nothing is left.
    pub(crate) fn settle_conditions(&mut self) {
        let choices = self
            .questions
            .iter()
            .filter(|question| question.prompt.question_type == QuestionType::MultipleChoice);
        let options: HashMap<Id<of::Question>, Vec<Id<of::Choice>>> = choices
            .map(|question| {
                let options = question.prompt.options.iter().map(|option| option.id);
                (question.id, options.collect())
            })
            .collect();
        for question in &mut self.questions {
            let condition = &mut question.prompt.show_if;
            if let Some(show_if) = condition {
                let existing = options.get(&show_if.question);
                let is_there =
                    |id: &Id<of::Choice>| existing.is_some_and(|existing| existing.contains(id));
                show_if.options.retain(is_there);
            }
            condition.take_if(|show_if| show_if.options.is_empty());
        }
    }
}

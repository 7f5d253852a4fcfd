use crate::domain::application::model::{Application, ApplicationTexts};
use crate::domain::question::model::Question;
use crate::ids::{Id, of};

/// An application with its questions and its texts.
#[derive(Debug, Clone)]
pub struct WholeForm {
    /// The application with its questions.
    pub form: Form,
    /// Its texts.
    pub texts: ApplicationTexts,
}

impl WholeForm {
    /// Returns about how large it is, in bytes.
    pub(crate) fn size(&self) -> usize {
        let ApplicationTexts {
            description,
            acceptance_email,
            rejection_email,
            interview_email,
            ..
        } = &self.texts;
        let texts = [
            description,
            acceptance_email,
            rejection_email,
            interview_email,
        ];
        let questions = self.form.questions.iter().map(Question::size);
        questions.sum::<usize>() + texts.map(String::len).iter().sum::<usize>() + 10_000
    }
}

/// An application with its questions in the order of display.
#[derive(Debug, Clone)]
pub struct Form {
    /// The application.
    pub application: Application,
    /// Its questions, in the order of display.
    pub questions: Vec<Question>,
}

impl Form {
    /// Removes what is gone from the questions: deleted committees, and deleted options from their
    /// conditions. A question that was only for deleted committees becomes one for everybody.
    pub fn settle(&mut self) {
        self.settle_conditions();
        let Self {
            application,
            questions,
        } = self;
        for question in questions {
            question
                .committees
                .retain(|id| application.committee(*id).is_some());
            question.committee_question &= !question.committees.is_empty();
        }
    }

    /// Returns the question with this id.
    pub fn question(&self, id: Id<of::Question>) -> Option<&Question> {
        self.questions.iter().find(|question| question.id == id)
    }
}

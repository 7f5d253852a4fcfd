//! The questions of the demo campus. The last one is asked only of those who have much time.

use shared::domain::{
    Answer, Application, Choice, Committee, FileRule, Person, Question, QuestionType, ShowIf,
};

use super::Numbers;
use super::files::file_of;

const HOURS: [&str; 3] = ["1–2", "3–5", "more"];

const WHY: [&str; 5] = [
    "I have wanted to do this since the fair in September, and I learn best by doing.",
    "My sister was a member and never talked about anything else. Now it is my turn.",
    "I bring two years of experience from school and a lot of free evenings.",
    "I am new in town and this is the club whose work I like best.",
    "Because the project that you showed last spring was brilliant, and I have an idea for the \
     next one.",
];

const PROUD: [&str; 4] = [
    "A tiny weather station.",
    "Running a half marathon.",
    "The school newspaper.",
    "My grandmother's recipes, as a book.",
];

const PROJECT: &str = "A robot that sorts the waste of the canteen.";

/// The questions of an application. Its last committee has a question of its own.
pub fn of(numbers: &Numbers, application: &Application) -> Vec<Question> {
    let plans = [
        (
            QuestionType::InfoText,
            "Take your time: you can change your answers until the deadline.",
            0,
        ),
        (
            QuestionType::FreeResponse,
            "Why would you like to join us?",
            150,
        ),
        (QuestionType::ShortAnswer, "What are you proud of?", 30),
        (
            QuestionType::MultipleChoice,
            "How many hours a week do you have?",
            0,
        ),
        (
            QuestionType::ShortAnswer,
            "Which tools have you worked with?",
            60,
        ),
        (
            QuestionType::FreeResponse,
            "Which project would you like to lead?",
            100,
        ),
        (QuestionType::File, "Your CV, if you have one", 0),
    ];
    let mut all: Vec<Question> = plans
        .into_iter()
        .zip(0..)
        .map(|(prompt, precedence)| question(numbers, application, prompt, precedence))
        .collect();
    if let [_, _, _, hours, tools, project, _] = &mut all[..] {
        project.prompt.required = true;
        tools.committees = application
            .committees
            .last()
            .map(|last| last.id)
            .into_iter()
            .collect();
        tools.committee_question = !tools.committees.is_empty();
        project.prompt.show_if = hours.prompt.options.last().map(|more| ShowIf {
            question: hours.id,
            options: vec![more.id],
        });
    }
    all
}

fn question(
    numbers: &Numbers,
    application: &Application,
    (question_type, text, word_limit): (QuestionType, &str, u32),
    precedence: i32,
) -> Question {
    let mut question = Question::blank(application, numbers.next());
    question.precedence = precedence;
    let prompt = &mut question.prompt;
    prompt.question_type = question_type;
    prompt.text = text.into();
    prompt.word_limit = word_limit;
    if question_type == QuestionType::MultipleChoice {
        let option = |value: &str| Choice {
            id: numbers.next(),
            value: value.into(),
        };
        prompt.options = HOURS.map(option).into();
    }
    prompt.file = (question_type == QuestionType::File).then(FileRule::default);
    question
}

/// What the applicant number `i` answers; none if the question is not asked.
pub fn answer(
    question: &Question,
    person: &Person,
    committee: Option<&Committee>,
    i: usize,
) -> Option<Answer> {
    if !question.is_for(committee.map(|chosen| chosen.id)) {
        return None;
    }
    let is_file = question.prompt.question_type == QuestionType::File;
    let (text, option) = match question.prompt.question_type {
        QuestionType::InfoText => return None,
        // Not everybody has one.
        QuestionType::File => i.is_multiple_of(4).then_some((None, None))?,
        QuestionType::FreeResponse if question.prompt.show_if.is_some() => {
            // It is asked of those who chose the last of the three options.
            (i % 3 == 2).then_some((Some(PROJECT.to_owned()), None))?
        }
        QuestionType::FreeResponse => (Some(WHY[i % WHY.len()].to_owned()), None),
        QuestionType::ShortAnswer => (Some(PROUD[i % PROUD.len()].to_owned()), None),
        QuestionType::MultipleChoice => (
            None,
            question.prompt.options.get(i % 3).map(|option| option.id),
        ),
    };
    Some(Answer {
        question: question.id,
        version: question.prompt.version,
        precedence: question.precedence,
        text,
        option,
        file: is_file.then(|| file_of(person)),
    })
}

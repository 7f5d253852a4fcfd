//! Submissions, their answers and their decisions.

pub(crate) mod answers;
pub(crate) mod attachment;
pub(crate) mod attachments;
pub(crate) mod decide;
pub(crate) mod history;
pub(crate) mod interview;
pub(crate) mod keys;
pub(crate) mod model;
pub(crate) mod own;
pub(crate) mod references;
pub(crate) mod remembered;
pub(crate) mod slices;
pub(crate) mod store;
pub(crate) mod submission_answers;
pub(crate) mod submit;
pub(crate) mod visibility;
pub(crate) mod withdrawal;

// What the API refuses, in English: the words of its reasons and codes, as in `en.js`. `{at}` is
// the field. A word with a field behind it is for that field alone.

export default {
  // What went wrong as a whole.
  "problem.authentication_required": "Please sign in.",
  "problem.invalid_token": "You are not signed in any more. Please sign in again.",
  "problem.permission_denied": "You do not have permission to do this.",
  "problem.erasing": "Your account is being erased.",
  "problem.not_found": "Not found.",
  "problem.precondition_failed": "This was changed meanwhile. Please look at it again.",
  "problem.draft_conflict":
    "An answer was changed in another tab or on another device. Nothing was saved.",
  "problem.rate_limited": "This was too often. Please wait a little.",
  "problem.method_not_allowed": "This is not possible here. Please reload the page and try again.",
  "problem.not_acceptable": "Your browser cannot read the answer. Please try another browser.",
  "problem.unsupported_media_type": "Please choose another file.",
  "problem.payload_too_large": "This is too large to send.",
  "problem.cursor_expired": "The list cannot be continued here. Please reload the page.",
  "problem.scope": "This is not possible with a token.",
  "problem.busy": "The service is busy. Please try again.",
  "problem.files_unavailable":
    "Files cannot be stored or read at the moment. Nothing was changed. Please try again.",
  "problem.outcome_unknown": "It is not known whether this was saved. You may send it again.",
  "problem.internal":
    "Something went wrong on our side. If it happens again, tell us this number: {request_id}.",
  "problem.invalid": "This could not be understood. Please reload the page and try again.",
  "problem.unread": "This did not arrive completely. Please try again.",
  "problem.large_body": "This is too large to send. At most {size} are allowed.",
  "problem.large_response": "This is too much at once. Please choose less.",
  "problem.invalid_cursor": "The list cannot be continued here. Please reload the page.",
  "problem.key_reused":
    "This was sent before with other content. Please reload the page and try again.",
  "problem.changed": "Something changed at the same moment. Please try again.",

  // Fields of all kinds.
  "problem.required": "This field is required.",
  "problem.required.file": "Please choose a file.",
  "problem.blank": "This field may not be blank.",
  "problem.null": "This field may not be blank.",
  "problem.unknown_field": "“{at}” is not known here. Please check this name.",
  "problem.twice.committees": "A committee is there twice.",
  "problem.twice.multiple_choice": "An option is there twice.",
  "problem.twice": "This is there twice.",
  "problem.not_text": "Please enter a text.",
  "problem.not_number": "Please enter a whole number.",
  "problem.out_of_range": "Please enter a whole number from {minimum} to {limit}.",
  "problem.too_small": "Please enter a whole number of at least {minimum}.",
  "problem.not_time": "Please enter a date and a time.",
  "problem.not_reference": "Please choose one of the entries.",
  "problem.not_allowed": "Please choose one of the options.",
  "problem.not_allowed.role": "The role can be owner, officer or member.",
  "problem.not_address": "Please enter an email address.",
  "problem.wrong_address": "“{value}” is not an email address.",
  "problem.not_url": "Please enter an address that begins with https://.",
  "problem.not_color": "Please enter a colour such as #1f6feb, or leave this empty.",
  "problem.invalid_code": "Use a-z, 0-9 and -, at most 64 characters, with at least one letter.",
  "problem.no_letter": "The name needs at least one letter.",
  "problem.control_characters": "Line breaks are not allowed here.",
  "problem.hidden_characters": "This text has invisible characters. Please type it again.",
  "problem.too_long": "At most {limit} characters are allowed.",
  "problem.too_many_bytes":
    "This text is too long. With its formatting, at most {size} are allowed.",
  "problem.too_many_words": "At most {limit} words are allowed. This answer has {count}.",
  "problem.too_many.committees": "At most {limit} committees are allowed.",
  "problem.too_many.multiple_choice": "At most {limit} options are allowed.",
  "problem.too_many.rows": "At most {limit} rows are allowed.",
  "problem.too_many.emails": "At most {limit} addresses are allowed.",
  "problem.too_many.submissions": "At most {limit} submissions are allowed at once.",
  "problem.too_many": "At most {limit} are allowed.",
  "problem.too_few": "Please choose at least one.|Please choose at least {n}.",
  "problem.too_few.multiple_choice": "A choice needs at least two options.",
  "problem.too_few.formats": "Please choose at least one format.",
  "problem.too_few.options": "Please choose at least one option.",
  "problem.too_few.committees": "A question for committees needs at least one committee.",
  "problem.too_few.submissions": "Please choose at least one submission.",
  "problem.too_few.scopes": "Please tick at least one thing that the token may do.",
  "problem.too_few.types": "Please tick at least one kind of change.",
  "problem.too_few.emails": "Please enter at least one address.",
  "problem.too_many_tags": "This text has too much formatting. Please remove some.",
  "problem.too_many_formats": "This text has too much formatting. Please remove some.",
  "problem.long_tag":
    "A part of the text has too much formatting. Leave out pictures that are part of the text, and paste text from Word without its formatting.",
  "problem.short_search": "At least one word of the search needs {minimum} or more characters.",
  "problem.only_null": "Please choose the image as a file.",

  // Times.
  "problem.before": "The end is before the start.",
  "problem.before.application_start_time": "The application closes before it opens.",
  "problem.before.application_end_time": "The decisions are shown before the application closes.",
  "problem.before.registration_start_time": "The registration ends before it begins.",
  "problem.after.ticket_drop_time": "The tickets come only after the end.",
  "problem.after.registration_start_time": "The registration begins after the end of the fair.",
  "problem.after": "This is after the end.",
  "problem.not_after": "The end must be after the start.",
  "problem.not_after.application_end_time": "The extension must end after the application closes.",
  "problem.not_within_year": "Please choose a time in the future, within a year.",
  "problem.too_many_hours": "The end can be at most {limit} hours after the start.",
  "problem.too_late": "This would be later than the year 9999.",

  // What is there, and what is not.
  "problem.unknown_id": "This does not exist any more. Please reload the page.",
  "problem.unknown_id.file": "This file is not there any more. Please upload it again.",
  "problem.unknown_member": "This person is not a member of the club.",
  "problem.unknown_choice": "Please choose a question with options that is in this form.",
  "problem.unknown_entry": "One of these entries does not exist any more. Please reload the page.",
  "problem.unknown_club": "There is no such club.",
  "problem.unknown_person": "There is no such person.",
  "problem.unknown_username": "Nobody has this user name, or several people have it.",
  "problem.mail_resent_too_often": "This mail was sent again {limit} times already.",
  "problem.mail_not_kept":
    "The text of this mail is not kept any more, so it cannot be sent again.",
  "problem.no_address": "No address of this person is known.",
  "problem.ambiguous_address": "Several people have this address. Please enter their user names.",
  "problem.unknown_tag": "There is no tag “{value}”.",
  "problem.taken.code": "This short name is already taken.",
  "problem.taken.name": "This name is already in use.",
  "problem.taken": "This is already in use.",
  "problem.reserved": "This short name is reserved.",
  "problem.code_of_deleted_club": "This short name belongs to a deleted club.",
  "problem.common_name":
    "A hundred clubs already have this name. Choose another one, or enter a short name.",
  "problem.no_code": "No short name can be made from this name. Please enter one.",
  "problem.already_listed": "This club is already in your list.",
  "problem.tag_deleted":
    "A tag or badge was deleted just now. Please reload the page and choose again.",
  "problem.entry_in_use":
    "This entry cannot be deleted, because clubs (also deleted ones) or people use it.",
  "problem.no_time_left": "There was no time left for this row. Please import the file again.",

  // Limits.
  "problem.too_many_created":
    "You can create at most {limit} clubs. Deleted clubs count too. Admins have no limit.",
  "problem.too_many_owned": "A person can own at most {limit} clubs. Deleted clubs count too.",
  "problem.too_many_open_events": "A club can have at most {limit} events that have not ended.",
  "problem.too_many_events": "A club can have at most {limit} events. Delete some that are over.",
  "problem.long_locations": "The places of all dates of an event are too long together.",
  "problem.too_many_applications":
    "A club can have at most {limit} applications that have not ended, and {total} in all.",
  "problem.too_many_questions": "An application can have at most {limit} questions.",
  "problem.too_many_file_questions": "An application can have at most {limit} questions for files.",
  "problem.too_many_slots": "There can be at most {limit} times for interviews.",
  "problem.long_series": "At most {limit} times can be made at once.",
  "problem.changed_too_often":
    "This was changed {limit} times already. Please make a new one instead.",
  "problem.interview_changed_too_often":
    "This interview was changed very often. It can only be cancelled now.",
  "problem.too_many_submissions": "You can have at most {limit} applications.",
  "problem.too_many_with_withdrawn":
    "You can have at most {limit} applications, with withdrawn ones.",
  "problem.long_answers": "All answers together may have at most {size}. Please shorten one.",
  "problem.long_drafts":
    "All your answers here, for other committees too, may have at most {size}. Please shorten one.",
  "problem.long_committees":
    "The names of all committees may have at most {size} together. Please shorten one.",
  "problem.many_draft_answers":
    "At most {limit} answers are kept here, with those for other committees.",
  "problem.too_many_files": "You can have at most {limit} files here that are not submitted.",
  "problem.too_many_tokens": "You can have at most {limit} tokens. Please end one first.",
  "problem.too_many_join_links": "A club can have at most {limit} join links. Revoke one first.",
  "problem.too_many_webhooks": "There can be at most {limit} webhooks. Please delete one first.",
  "problem.too_many_secrets": "There are many secrets already. Please wait until tomorrow.",
  "problem.too_many_tests":
    "You can ask for {limit} calls of a webhook in an hour. Please try again later.",
  "problem.too_many_invitations": "A club can send at most {limit} invitations in 24 hours.",
  "problem.too_many_added":
    "A club can add at most {limit} people in 24 hours. Invite them instead, or wait.",
  "problem.too_many_strangers":
    "A club can add at most {limit} people who neither asked nor applied in 24 hours. Invite them instead, or wait.",
  "problem.too_many_imported":
    "A club can add or invite at most {limit} people in 24 hours. Please import this row later.",
  "problem.invited_just_now": "Wait ten minutes before you send the same invitation again.",

  // Clubs and their members.
  "problem.last_owner": "A club needs at least one owner.",
  "problem.only_owner":
    "You are the only owner of {value}. Make somebody else an owner, or delete these clubs too.",
  "problem.club_not_approved": "This club is not approved yet.",
  "problem.registration_closed": "Clubs cannot register for this fair now.",
  "problem.you_are_member": "You are already a member of this club.",
  "problem.already_member": "This person is already a member.",
  "problem.already_invited": "This address already has an open invitation.",
  "problem.invite_unusable":
    "This invitation cannot be used. It has expired, or was revoked or already used.",
  "problem.link_unusable": "This link cannot be used. It has expired, was used up or was revoked.",
  "problem.not_invited": "This address could not be invited now. Please import this row again.",
  "problem.no_name": "A row needs a name or a short name.",
  "problem.nobody_named": "A row needs an address or a user name.",
  "problem.no_person": "Please enter a user name.",
  "problem.role_above_yours": "You can change only roles below your own.",
  "problem.role_too_high": "You cannot give a role above your own.",
  "problem.no_officer": "You may not do this in this club any more.",
  "problem.webhook_off": "This webhook is off. Please switch it on first.",
  "problem.invalid_url": "This is no web address.",
  "problem.url_not_https": "The address must begin with https://.",
  "problem.url_has_password": "The address must not have a user name or a password.",
  "problem.url_port": "The address can have the ports 443 and 8443.",
  "problem.url_has_no_host": "The address names no host.",
  "problem.url_of_service": "A webhook cannot call this service itself.",
  "problem.url_not_public": "A webhook can only call a public address.",

  // Images, files and tables.
  "problem.not_image": "Please choose an image as PNG, JPEG, WebP or GIF.",
  "problem.broken_image": "The image cannot be read. Please choose another one.",
  "problem.large_image":
    "The image is too large. Please choose a smaller one, or one without transparency.",
  "problem.too_many_megapixels": "The image is too large. At most {limit} megapixels are allowed.",
  "problem.large_file": "At most {limit} MB are allowed.",
  "problem.other_format": "This question takes another kind of file.",
  "problem.file_not_arrived": "The file has not arrived. Please upload it again.",
  "problem.file_of_other_type": "The file is not of the type that its name says.",
  "problem.other_file": "The file is not what was announced. Please upload it again.",
  "problem.invalid_csv": "The CSV file cannot be read. Please save it again in your spreadsheet.",
  "problem.not_utf8":
    "Please save the file as “CSV UTF-8” in your spreadsheet, and choose it again.",
  "problem.no_header": "The first line with the names of the columns is missing.",
  "problem.near_column": "Is this the column “{value}”? Please rename it, or leave it out.",
  "problem.nameless_column": "One column has no name in the first line.",
  "problem.too_many_cells": "Row {at} has more cells than there are columns.",
  "problem.open_quote": "A quotation mark in row {at} is not closed.",

  // Applications of a club and their questions.
  "problem.has_submissions": "This application has submissions.",
  "problem.committee_in_use": "A committee that has submissions or interviews cannot be removed.",
  "problem.has_extension": "This person already has an extension.",
  "problem.takes_no_answer": "This is only a text. It takes no answer.",
  "problem.only_for_files": "Only questions for files have this.",
  "problem.only_for_choices": "Only questions with a choice have options.",
  "problem.no_word_limit": "A question for a file has no limit on words.",
  "problem.condition_circle": "That question is itself asked depending on this one.",
  "problem.long_chain":
    "A chain of questions that depend on each other has at most {limit} conditions.",
  "problem.condition_not_asked":
    "This question is for people who are not asked the one that it depends on.",
  "problem.question_depends": "Another question depends on this one. Change its condition first.",
  "problem.results_released":
    "The results were visible already, so this time can no longer be moved into the future.",
  "problem.committees_depend":
    "A question for one of these committees depends on another one, which is for other committees. Change its condition first.",

  // What applicants send.
  "problem.application_closed": "You cannot apply here now, nor change or withdraw what you sent.",
  "problem.unanswered": "This question needs an answer.",
  "problem.other_committee": "This question is only for other committees than the one you chose.",
  "problem.needs_text": "Please answer this question with a text.",
  "problem.needs_option": "Please choose one of the options.",
  "problem.needs_file": "This question needs a file.",
  "problem.takes_no_file": "This question takes no file.",
  "problem.nothing_answered": "Please enter a text or choose an option.",
  "problem.applicant_erased":
    "The data of this applicant was erased. What remains cannot be changed any more.",
  "problem.empty_review": "Please give a score or write a comment.",

  // Interviews.
  "problem.has_tickets": "There are tickets. Nothing was changed.",
  "problem.cancels_tickets": "There are tickets for this. Cancel them too?",
  "problem.not_date": "Expected a date, such as 2026-12-24.",
  "problem.not_rule": "This rule is not understood.",
  "problem.not_in_rule": "The first time is not on one of these days.",
  "problem.nothing_left": "Nothing is left of the series.",
  "problem.draw_too_late": "The draw must be at least an hour before the start.",
  "problem.draw_in_the_past": "The draw must be later than now.",
  "problem.tickets_not_started": "Tickets are not available yet.",
  "problem.tickets_closed":
    "It is too late for this, or somebody was already let in with this ticket.",
  "problem.sold_out": "No tickets are left.",
  "problem.too_many_tickets": "One person gets at most {limit} tickets.",
  "problem.members_only": "These tickets are only for members of the club.",
  "problem.drawing": "The draw is being held. Try again in a minute.",
  "problem.too_many_orders":
    "You have ordered very often for this event today. Try again tomorrow.",
  "problem.too_many_transfers": "You can give away at most {limit} tickets a day.",
  "problem.transferred_often": "This ticket has changed hands {limit} times. It stays where it is.",
  "problem.unknown_receiver":
    "We know nobody with this user name to whom you could give the ticket.",
  "problem.code_or_ticket": "Send either a code or a ticket.",
  "problem.scan_time": "This scan is too old, or lies in the future.",
  "problem.ticket_unusable": "This code does not open this door.",
  "problem.slot_full": "All places at this time are taken.",
  "problem.slot_closed": "It is too late to change this interview. Ask the club.",
  "problem.interviewer_busy":
    "An interviewer has another interview at this time. Tick “at the same time”, if that is meant.",
  "problem.overlap": "There is another interview at this time.",
  "problem.decided": "This application is decided.",
  "problem.nothing_booked": "No interview is booked.",
  "problem.more_booked": "More people have booked this time.",
  "problem.booked_for_committee": "Somebody has booked this time for its committee.",
  "problem.slot_booked": "Somebody has booked this time.",
  "problem.no_slot_fits": "No interview of this length fits between these times.",

  // Mails and their texts.
  "problem.preview_changed":
    "Something changed since the preview: decisions, reasons, mail texts, addresses or recipients. Nothing was sent. Please look at a new preview.",
  "problem.undecided": "One person is not decided yet.|{n} people are not decided yet.",
  "problem.not_for_interviews": "This is not for invitations to an interview.",
  "problem.needs_submissions": "Choose whom to invite.",
  "problem.large_preview":
    "These are too many mails for one preview. Please choose fewer submissions.",
  "problem.large_mail":
    "One of the mails would be too large. Please shorten its text or the reason.",
  "problem.perhaps_sent":
    "One mail was perhaps sent. The list of submissions shows which.|{n} mails were perhaps sent. The list of submissions shows which.",
  "problem.not_queued":
    "There was no time for one mail. Please send it once more.|There was no time for {n} mails. Please send them once more.",
  "problem.no_link": "The text of the mail has no link, so nobody can choose an interview.",
  "problem.single_braces":
    "{value} would be mailed as it stands. Values need two braces on each side.",
  "problem.lost_link":
    "A link in the text of the mail has no address, or one that is not complete.",
  "problem.no_reason":
    "The mail tells the reason, but one decision has none.|The mail tells the reason, but {n} decisions have none.",
  "problem.changed_after_decision":
    "The answers of one submission are newer than its decision. Please look at it again.|The answers of {n} submissions are newer than their decision. Please look at them again.",
  "problem.announced_early":
    "The decisions are shown from {until}. These mails would tell them earlier.",
  "problem.invalid_template": "The text of this mail is not right. Please look at it in the form.",
  "problem.unknown_variable": "The mail cannot name “{value}”. It can name: {allowed}.",
  "problem.open_tag": "{allowed} is missing after {value}.",
  "problem.unknown_command": "{value} is not possible here. There are if, else and endif.",
  "problem.template_comment": "Comments are not possible here.",
  "problem.unbalanced_if": "Each {% if %} needs an {% endif %}, and at most one {% else %}.",
  "problem.between_cells": "A variable is between the parts of a table. Put it into a cell.",
  "problem.between_rows":
    "{value} is where no text can be, such as between the rows of a table. Put it inside a cell, or around the whole table.",
  "problem.hidden_text":
    "{value} is at a place where HTML shows no text, such as a comment or the inside of a tag. Put it into the text.",
};

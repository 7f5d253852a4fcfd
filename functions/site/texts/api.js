// What the API says, and how the site says it to people, in English and in German. A test compares
// the sentences with those in the code.

/** @type {[string, string]} */
const AGAIN = [
  "This could not be understood. Please reload the page and try again.",
  "Das wurde nicht verstanden. Bitte lade die Seite neu und versuche es noch einmal.",
];
/** @type {[string, string]} */
const ARRIVED = [
  "This did not arrive completely. Please try again.",
  "Das ist nicht vollständig angekommen. Bitte versuche es noch einmal.",
];
/** @type {[string, string]} */
const MUCH = [
  "This is too much at once. Please choose less.",
  "Das ist zu viel auf einmal. Bitte wähle weniger aus.",
];
/** @type {[string, string]} */
const OPTION = ["Please choose one of the options.", "Bitte wähle eine der Möglichkeiten."];
/** @type {[string, string]} */
const BIGTEXT = [
  "This text has too much formatting. Please remove some.",
  "Dieser Text hat zu viele Formatierungen. Bitte entferne einige.",
];

/**
 * The sentence of the API, the English one for people (null if it is the same), and the German one.
 * `{x}` is a value. People see `{x:size}` as a size, `{x:time}` as a time, and `{x:told}` as a
 * sentence that is looked up here itself.
 * @type {[string, string | null, string][]}
 */
export const SENTENCES = [
  // Who asks, and whether it worked.
  ["Authentication credentials were not provided.", "Please sign in.", "Bitte melde dich an."],
  [
    "The access token is not valid: {why}.",
    "You are not signed in any more. Please sign in again.",
    "Du bist nicht mehr angemeldet. Bitte melde dich noch einmal an.",
  ],
  ["You do not have permission to do this.", null, "Das darfst du nicht."],
  ["Your account is being erased.", null, "Dein Konto wird gerade gelöscht."],
  [
    "Everything about you is being erased. This takes about a minute.",
    null,
    "Alles über dich wird gerade gelöscht. Das dauert etwa eine Minute.",
  ],
  ["Not found.", null, "Nicht gefunden."],
  [
    "Invalid page.",
    "This part of the list does not exist. Please reload the page.",
    "Diesen Teil der Liste gibt es nicht. Bitte lade die Seite neu.",
  ],
  [
    "This is not a cursor of this list.",
    "The list cannot be continued here. Please reload the page.",
    "Die Liste lässt sich hier nicht fortsetzen. Bitte lade die Seite neu.",
  ],
  [
    "Invalid request.",
    "Something is not right here. Please check what you entered.",
    "Hier stimmt etwas nicht. Bitte prüfe deine Angaben.",
  ],
  [
    "It is not known whether this was stored. You may send the same request again.",
    "It is not known whether this was saved. You may send it again.",
    "Es ist nicht bekannt, ob dies gespeichert wurde. Du darfst es noch einmal senden.",
  ],
  ["Something went wrong on our side.", null, "Bei uns ist etwas schiefgegangen."],
  [
    "Something went wrong on our side. If it happens again, tell us this request id: {request_id}.",
    "Something went wrong on our side. If it happens again, tell us this number: {request_id}.",
    "Bei uns ist etwas schiefgegangen. Wenn es wieder passiert, nenne uns diese Nummer: " +
      "{request_id}.",
  ],
  [
    "The service is busy. Please try again.",
    null,
    "Der Dienst ist gerade überlastet. Bitte versuche es noch einmal.",
  ],
  [
    "This was changed since you read it. Read it again, then decide.",
    "This was changed meanwhile. Please look at it again.",
    "Dies wurde inzwischen geändert. Sieh es dir noch einmal an.",
  ],
  ["You may not do this in this club any more.", null, "Du darfst das in diesem Club nicht mehr."],
  [
    "This method is not allowed here.",
    "This is not possible here. Please reload the page and try again.",
    "Das geht hier nicht. Bitte lade die Seite neu und versuche es noch einmal.",
  ],
  [
    "This key was sent with another body before. Use a new key.",
    "This was sent before with other content. Please reload the page and try again.",
    "Dies wurde schon mit anderem Inhalt gesendet. Bitte lade die Seite neu und versuche es " +
      "noch einmal.",
  ],
  [
    "Accept one of gzip, br and identity in the header Accept-Encoding.",
    "Your browser cannot read the answer. Please try another browser.",
    "Dein Browser kann die Antwort nicht lesen. Bitte versuche es mit einem anderen.",
  ],
  [
    "The request body is larger than {limit} bytes.",
    "This is too large to send. At most {limit:size} are allowed.",
    "Das ist zu groß zum Senden. Höchstens {limit:size} sind erlaubt.",
  ],
  [
    "The response is too large. Request it compressed, with the header Accept-Encoding: gzip.",
    "The answer is too large. Please reload the page and try again.",
    "Die Antwort ist zu groß. Bitte lade die Seite neu und versuche es noch einmal.",
  ],
  [
    "The response is too large. Request it in parts with the parameters `limit` and `cursor`, " +
      "or compressed with the header Accept-Encoding: gzip.",
    ...MUCH,
  ],
  [
    "The response is too large. Request it in parts with the parameters `limit` and `cursor`.",
    ...MUCH,
  ],

  // What only a broken page or another program sends.
  ["Send a JSON body with the header Content-Type: application/json.", ...AGAIN],
  ["Send a form with the header Content-Type: multipart/form-data.", ...AGAIN],
  ["The request body is not JSON: {error}.", ...AGAIN],
  ["The request body is not valid: {error}.", ...AGAIN],
  ["The request body must be a JSON array.", ...AGAIN],
  ["The request body must be a JSON object.", ...AGAIN],
  ["This request takes no body.", ...AGAIN],
  ["Each row must be a JSON object.", ...AGAIN],
  ["The form is not valid: {error}.", ...AGAIN],
  ["The body and the query say different things.", ...AGAIN],
  ["Expected an object.", ...AGAIN],
  ["The request body could not be read.", ...ARRIVED],
  ["The form could not be read.", ...ARRIVED],
  [
    "This request does not have this field.",
    "This is not known here. Please reload the page and try again.",
    "Das ist hier nicht bekannt. Bitte lade die Seite neu und versuche es noch einmal.",
  ],

  // Fields of all kinds.
  ["This field is required.", null, "Dieses Feld fehlt."],
  ["This field may not be blank.", null, "Dieses Feld darf nicht leer sein."],
  [
    "This field may not be null.",
    "This field may not be blank.",
    "Dieses Feld darf nicht leer sein.",
  ],
  [
    "Line breaks and control characters are not allowed here.",
    "Line breaks are not allowed here.",
    "Zeilenumbrüche sind hier nicht erlaubt.",
  ],
  ["At most {max} characters are allowed.", null, "Höchstens {max} Zeichen sind erlaubt."],
  ["At most {max} are allowed.", null, "Höchstens {max} sind erlaubt."],
  [
    "At most {max_bytes} bytes are allowed.",
    "This text is too long. With its formatting, at most {max_bytes:size} are allowed.",
    "Dieser Text ist zu lang. Mit seiner Formatierung sind höchstens {max_bytes:size} erlaubt.",
  ],
  ["At most {} tags are allowed.", ...BIGTEXT],
  [
    "The locations of all showings have at most 8,000 bytes together.",
    "The places of all dates of an event are too long together.",
    "Die Orte aller Termine einer Veranstaltung sind zusammen zu lang.",
  ],
  [
    "A tag has more than {} bytes, or a comment more than {}. Leave out pictures that are part of the text.",
    "A part of the text has too much formatting. Leave out pictures that are part of the text.",
    "Ein Teil des Textes hat zu viel Formatierung. Lass Bilder weg, die Teil des Textes sind.",
  ],
  ["Too many different formats are open at once. Remove some formatting.", ...BIGTEXT],
  ["Enter an e-mail address.", null, "Gib eine E-Mail-Adresse an."],
  [
    "Enter an http or https URL.",
    "Enter an address that begins with https://.",
    "Gib eine Adresse an, die mit https:// beginnt.",
  ],
  ["This is not text.", "Please enter a text.", "Bitte gib einen Text an."],
  ["Expected a text.", "Please enter a text.", "Bitte gib einen Text an."],
  ["Expected a list.", "Please enter a list.", "Bitte gib eine Liste an."],
  ["Expected true or false.", "Please choose yes or no.", "Bitte wähle Ja oder Nein."],
  ["Expected a whole number.", "Please enter a whole number.", "Bitte gib eine ganze Zahl an."],
  [
    "Expected a whole number from {low} to {high}.",
    "Please enter a whole number from {low} to {high}.",
    "Bitte gib eine ganze Zahl von {low} bis {high} an.",
  ],
  [
    "Expected a whole number, at least {low}.",
    "Please enter a whole number of at least {low}.",
    "Bitte gib eine ganze Zahl ab {low} an.",
  ],
  [
    "Expected a year from {low} to {high}.",
    "Please enter a year from {low} to {high}.",
    "Bitte gib ein Jahr von {low} bis {high} an.",
  ],
  [
    "Expected a date-time with an offset, such as 2026-11-21T09:00:00Z.",
    "Please enter a date and a time.",
    "Bitte gib Datum und Uhrzeit an.",
  ],
  [
    "Expected an id, or an object with an id.",
    "Please choose one of the entries.",
    "Bitte wähle einen der Einträge.",
  ],
  [
    "No entry has the id {unknown}.",
    "One of these entries does not exist any more. Please reload the page.",
    "Einen dieser Einträge gibt es nicht mehr. Bitte lade die Seite neu.",
  ],
  ["Expected one of {}.", ...OPTION],
  ["Expected one of: {}.", ...OPTION],
  ["{code} is not one of {}.", ...OPTION],
  [
    "Expected one or more of {}, none, separated by commas.",
    "Please choose one or more of the options.",
    "Bitte wähle eine oder mehrere der Möglichkeiten.",
  ],

  // Images.
  [
    "Send a PNG, JPEG, WebP or GIF image.",
    "Please choose an image as PNG, JPEG, WebP or GIF.",
    "Sende ein Bild als PNG, JPEG, WebP oder GIF.",
  ],
  [
    "Send the image in the part `{}`.",
    "The image did not arrive. Please reload the page and choose it again.",
    "Das Bild ist nicht angekommen. Bitte lade die Seite neu und wähle es noch einmal.",
  ],
  [
    "Only null is accepted here. Send an image as a file, in multipart/form-data.",
    "Please choose the image as a file.",
    "Bitte wähle das Bild als Datei.",
  ],
  [
    "Only null is accepted here. Upload a logo as a file to `upload/`.",
    "Please choose the logo as a file.",
    "Bitte wähle das Logo als Datei.",
  ],
  [
    "At most {} megapixels are allowed.",
    "The image is too large. At most {} megapixels are allowed.",
    "Das Bild ist zu groß. Höchstens {} Megapixel sind erlaubt.",
  ],
  [
    "The image cannot be decoded.",
    "The image cannot be read.",
    "Das Bild kann nicht gelesen werden.",
  ],
  [
    "The image cannot be stored.",
    "This image cannot be saved. Please choose another one.",
    "Dieses Bild kann nicht gespeichert werden. Bitte wähle ein anderes.",
  ],
  [
    "The image is not complete.",
    "The image is not complete. Please choose another one.",
    "Das Bild ist nicht vollständig. Bitte wähle ein anderes.",
  ],
  [
    "The image is too large to be decoded.",
    "The image is too large. Please choose a smaller one.",
    "Das Bild ist zu groß. Bitte wähle ein kleineres.",
  ],
  [
    "The image is too large to be stored: send a smaller one, or one without transparency.",
    "The image is too large. Please choose a smaller one, or one without transparency.",
    "Das Bild ist zu groß. Bitte wähle ein kleineres oder eines ohne Transparenz.",
  ],

  // Tables that are imported.
  [
    "Send rows as text/csv or as application/json.",
    "Please choose a CSV file.",
    "Bitte wähle eine CSV-Datei.",
  ],
  [
    "The CSV is not valid: {error}.",
    "The CSV file cannot be read. Please save it again in your spreadsheet.",
    "Die CSV-Datei ist nicht lesbar. Bitte speichere sie in deinem Tabellenprogramm noch einmal.",
  ],
  [
    "The file is not in UTF-8. Save it as CSV UTF-8 in your spreadsheet.",
    "Please save the file as “CSV UTF-8” in your spreadsheet, and choose it again.",
    "Bitte speichere die Datei in deinem Tabellenprogramm als „CSV UTF-8“ und wähle sie noch " +
      "einmal.",
  ],
  [
    "The file has no header line.",
    "The first line with the names of the columns is missing.",
    "Die Kopfzeile mit den Namen der Spalten fehlt.",
  ],
  [
    "A column with cells has no name in the header line.",
    "One column has no name in the first line.",
    "Eine Spalte hat in der Kopfzeile keinen Namen.",
  ],
  [
    "This column is there twice.",
    "This column stands twice in the first line.",
    "Diese Spalte steht zweimal in der Kopfzeile.",
  ],
  [
    "A row has more cells than the header line has columns.",
    "A row has more cells than there are columns.",
    "Eine Zeile hat mehr Zellen, als es Spalten gibt.",
  ],
  ["At most {} rows are allowed.", null, "Höchstens {} Zeilen sind erlaubt."],
  [
    "There was no time left for this row. Send the file again.",
    "There was no time left for this row. Please import the file again.",
    "Für diese Zeile reichte die Zeit nicht. Bitte importiere die Datei noch einmal.",
  ],
  [
    "Something changed at the same moment. Send this row again.",
    null,
    "Gleichzeitig wurde etwas geändert. Sende diese Zeile noch einmal.",
  ],
  [
    "A row needs a name or a code.",
    "A row needs a name or a short name.",
    "Eine Zeile braucht einen Namen oder einen Kurznamen.",
  ],
  [
    "A row needs an address or a user name.",
    null,
    "Eine Zeile braucht eine Adresse oder einen Benutzernamen.",
  ],
  ["A tag was deleted just now.", null, "Ein Schlagwort wurde gerade gelöscht."],
  [
    "No code can be made from this name. Send one.",
    "No short name can be made from this name. Please enter one.",
    "Aus diesem Namen lässt sich kein Kurzname bilden. Bitte gib einen an.",
  ],
  [
    "There is no tag {shown:?}.",
    "There is no tag “{shown}”.",
    "Das Schlagwort „{shown}“ gibt es nicht.",
  ],
  ["This club is in the file twice.", null, "Dieser Club steht zweimal in der Datei."],
  [
    "This club was changed at the same moment. Send this row again.",
    null,
    "Dieser Club wurde gleichzeitig geändert. Sende diese Zeile noch einmal.",
  ],
  ["This club was created at the same moment.", null, "Dieser Club wurde gleichzeitig angelegt."],
  [
    "This club has sent as many invitations as it may in 24 hours.",
    null,
    "Dieser Club hat so viele Einladungen gesendet, wie in 24 Stunden erlaubt sind.",
  ],
  [
    "This club is not approved, so nobody can be invited.",
    null,
    "Dieser Club ist nicht freigegeben. Deshalb kann niemand eingeladen werden.",
  ],
  ["This person is in the file twice.", null, "Diese Person steht zweimal in der Datei."],
  [
    "This member was changed at the same moment. Send this row again.",
    null,
    "Dieses Mitglied wurde gleichzeitig geändert. Sende diese Zeile noch einmal.",
  ],
  [
    "This address could not be invited now. Send this row again.",
    null,
    "Diese Adresse konnte gerade nicht eingeladen werden. Sende diese Zeile noch einmal.",
  ],
  [
    "Expected 0 (owner), 10 (officer) or 20 (member).",
    "The role can be owner, officer or member.",
    "Die Rolle kann owner (Leitung), officer (Vorstand) oder member (Mitglied) sein.",
  ],

  // Clubs.
  ["There is no such club.", null, "Diesen Club gibt es nicht."],
  [
    "A club needs at least one owner.",
    null,
    "Ein Club braucht mindestens eine Person in der Leitung.",
  ],
  [
    "A hundred clubs already have this name. Choose another name, or send a `code`.",
    "A hundred clubs already have this name. Choose another one, or enter a short name.",
    "Hundert Clubs heißen schon so. Wähle einen anderen Namen oder gib einen Kurznamen an.",
  ],
  [
    "A tag or badge was deleted just now. Send only those that still exist.",
    "A tag or badge was deleted just now. Please reload the page and choose again.",
    "Ein Schlagwort oder eine Auszeichnung wurde gerade gelöscht. Bitte lade die Seite neu und " +
      "wähle noch einmal.",
  ],
  [
    "This code is already taken.",
    "This short name is already taken.",
    "Dieser Kurzname ist schon vergeben.",
  ],
  ["This code is reserved.", "This short name is reserved.", "Dieser Kurzname ist reserviert."],
  [
    "This code belongs to a deleted club.",
    "This short name belongs to a deleted club.",
    "Dieser Kurzname gehört zu einem gelöschten Club.",
  ],
  [
    "Use a-z, 0-9 and -, at most 64 characters, with at least one letter.",
    null,
    "Erlaubt sind a-z, 0-9 und -, höchstens 64 Zeichen, mit mindestens einem Buchstaben.",
  ],
  [
    "You can create at most {} clubs. Deleted clubs count too. Admins have no limit.",
    null,
    "Du kannst höchstens {} Clubs anlegen. Gelöschte Clubs zählen mit. Für Admins gibt es " +
      "keine Grenze.",
  ],
  [
    "You can own at most {} clubs. Deleted clubs count too.",
    null,
    "Du kannst höchstens {} Clubs leiten. Gelöschte Clubs zählen mit.",
  ],
  [
    "A person can own at most {limit} clubs. Deleted clubs count too.",
    null,
    "Eine Person kann höchstens {limit} Clubs leiten. Gelöschte Clubs zählen mit.",
  ],
  [
    "You are the only owner of {}. Make somebody else an owner, or add ?archive=true to delete " +
      "your profile and these clubs together.",
    "You are the only owner of {}. Make somebody else an owner, or delete these clubs too.",
    "Nur du leitest {}. Gib jemand anderem die Leitung oder lösche auch diese Clubs.",
  ],
  ["This club is already in your list.", null, "Dieser Club ist schon in deiner Liste."],
  [
    "The registration for this fair is not open.",
    "Clubs cannot register for this fair now.",
    "Clubs können sich für diese Messe gerade nicht anmelden.",
  ],
  [
    "`registration_end_time` must not be before `registration_start_time`.",
    "The registration ends before it begins.",
    "Die Anmeldung darf nicht enden, bevor sie beginnt.",
  ],
  [
    "`registration_start_time` must not be after the end of the fair.",
    "The registration begins after the end of the fair.",
    "Die Anmeldung darf nicht erst nach dem Ende der Messe beginnen.",
  ],
  [
    "This entry cannot be deleted, because clubs (also deleted ones) or people use it.",
    null,
    "Dieser Eintrag kann nicht gelöscht werden, weil Clubs (auch gelöschte) oder Personen ihn " +
      "benutzen.",
  ],
  ["This name is already in use.", null, "Diesen Namen gibt es schon."],
  ["The name needs at least one letter.", null, "Der Name braucht mindestens einen Buchstaben."],
  [
    "Expected `#rrggbb` or an empty text.",
    "Please enter a colour such as #1f6feb, or leave this empty.",
    "Bitte gib eine Farbe wie #1f6feb an, oder lass das Feld leer.",
  ],

  // Events.
  [
    "`end_time` must not be before `start_time`.",
    "The end is before the start.",
    "Das Ende liegt vor dem Beginn.",
  ],
  [
    "`ticket_drop_time` must not be after `end_time`.",
    "The tickets come only after the end.",
    "Die Tickets gibt es erst nach dem Ende.",
  ],
  [
    "A club has at most {limit} events that have not ended.",
    "A club can have at most {limit} events that have not ended.",
    "Ein Club kann höchstens {limit} Veranstaltungen haben, die noch nicht vorbei sind.",
  ],
  [
    "A club has at most {limit} events, including those that have ended.",
    "A club can have at most {limit} events. Delete some that are over.",
    "Ein Club kann höchstens {limit} Veranstaltungen haben. Lösche einige, die vorbei sind.",
  ],
  [
    "This slot was moved 50 times already. Make a new one.",
    null,
    "Dieser Termin wurde schon 50-mal verlegt. Lege einen neuen an.",
  ],
  [
    "This interview was changed 200 times already.",
    "This interview was changed very often. It can only be cancelled now.",
    "Dieses Gespräch wurde sehr oft geändert. Es lässt sich nur noch absagen.",
  ],
  [
    "This question was changed 200 times. Make a new one instead.",
    null,
    "Diese Frage wurde 200-mal geändert. Lege stattdessen eine neue an.",
  ],
  ["At most 100 showings are allowed.", null, "Höchstens 100 Termine sind erlaubt."],

  // Members and invitations.
  ["There is no such person.", null, "Diese Person gibt es nicht."],
  ["There is no person with this id.", "There is no such person.", "Diese Person gibt es nicht."],
  ["Nobody has this user name.", null, "Diesen Benutzernamen hat niemand."],
  [
    "Nobody has this user name, or several people have it.",
    null,
    "Diesen Benutzernamen hat niemand, oder mehrere Personen haben ihn.",
  ],
  ["Several people have this user name.", null, "Mehrere Personen haben diesen Benutzernamen."],
  ["Several people have this address.", null, "Mehrere Personen haben diese Adresse."],
  [
    "Several people have this address. Send their user names.",
    "Several people have this address. Please enter their user names.",
    "Mehrere Personen haben diese Adresse. Bitte gib ihre Benutzernamen an.",
  ],
  ["This is not an e-mail address.", null, "Das ist keine E-Mail-Adresse."],
  ["Send this field once.", null, "Bitte sende dieses Feld nur einmal."],
  [
    "A quote in this row is not closed.",
    "A quotation mark in this row is not closed.",
    "Ein Anführungszeichen in dieser Zeile ist nicht geschlossen.",
  ],
  ["Expected an id.", null, "Hier wird eine Id erwartet."],
  [
    "A variable is between the parts of a table. Put it into a cell.",
    null,
    "Eine Variable steht zwischen den Teilen einer Tabelle. Bitte setze sie in eine Zelle.",
  ],
  [
    "{mark} is at a place where HTML shows no text, such as a comment or the inside of a tag. Put it into the text.",
    null,
    "{mark} steht an einer Stelle, an der HTML keinen Text zeigt, etwa in einem Kommentar oder in einem Tag. Bitte setze es in den Text.",
  ],
  [
    "{shown:?} is not an e-mail address.",
    "“{shown}” is not an e-mail address.",
    "„{shown}“ ist keine E-Mail-Adresse.",
  ],
  ["You are already a member of this club.", null, "Du bist schon Mitglied dieses Clubs."],
  ["This person is already a member.", null, "Diese Person ist schon Mitglied."],
  ["This is the address of a member.", null, "Das ist die Adresse eines Mitglieds."],
  [
    "This address already has an open invite.",
    "This address already has an open invitation.",
    "Diese Adresse hat schon eine offene Einladung.",
  ],
  [
    "You can change only roles below your own.",
    null,
    "Du kannst nur Rollen unter deiner eigenen ändern.",
  ],
  [
    "You cannot give a role above your own.",
    null,
    "Du kannst keine Rolle über deiner eigenen vergeben.",
  ],
  [
    "At least one word of the search needs {} or more characters.",
    null,
    "Mindestens ein Wort der Suche braucht {} oder mehr Zeichen.",
  ],
  ["At most {} addresses are allowed.", null, "Höchstens {} Adressen sind erlaubt."],
  [
    "Give at least one address.",
    "Please enter at least one address.",
    "Bitte gib mindestens eine Adresse an.",
  ],
  [
    "{sent} invitations sent, {skipped} addresses skipped.",
    "Invitations sent: {sent}. Addresses skipped: {skipped}.",
    "Gesendete Einladungen: {sent}. Ausgelassene Adressen: {skipped}.",
  ],
  [
    "{detail} {} addresses could not be invited now. Send them again.",
    "{detail:told} Addresses that could not be invited now: {}. Send them again.",
    "{detail:told} Adressen, die gerade nicht eingeladen werden konnten: {}. Sende sie noch " +
      "einmal.",
  ],
  [
    "A club can send at most {} invitations in 24 hours.",
    null,
    "Ein Club kann in 24 Stunden höchstens {} Einladungen senden.",
  ],
  [
    "A club can add at most {limit} {whom} in 24 hours. Invite them instead, or wait.",
    null,
    "Ein Club kann in 24 Stunden höchstens {limit} Personen aufnehmen. Lade sie stattdessen " +
      "ein oder warte.",
  ],
  [
    "A club can add or invite at most {limit} people in 24 hours. Send this row later.",
    null,
    "Ein Club kann in 24 Stunden höchstens {limit} Personen aufnehmen oder einladen. Sende " +
      "diese Zeile später.",
  ],
  [
    "Wait ten minutes before you send the same invitation again.",
    null,
    "Warte zehn Minuten, bevor du dieselbe Einladung noch einmal sendest.",
  ],
  [
    "A webhook can be tested {} times in an hour.",
    null,
    "Ein Webhook kann in einer Stunde {}-mal getestet werden.",
  ],
  ["This club is not approved yet.", null, "Dieser Club ist noch nicht freigegeben."],
  [
    "This club is not approved yet, so it cannot invite anybody.",
    null,
    "Dieser Club ist noch nicht freigegeben. Deshalb kann er niemanden einladen.",
  ],
  [
    "This invitation cannot be used. It has expired, or was revoked or already used.",
    null,
    "Diese Einladung gilt nicht. Sie ist abgelaufen, zurückgezogen oder schon benutzt.",
  ],
  [
    "This link cannot be used. It has expired, was used up or was revoked.",
    null,
    "Dieser Link gilt nicht. Er ist abgelaufen, aufgebraucht oder zurückgezogen.",
  ],
  [
    "A club can have at most {} join links. Delete one first.",
    "A club can have at most {} join links. Revoke one first.",
    "Ein Club kann höchstens {} Beitrittslinks haben. Ziehe zuerst einen zurück.",
  ],
  [
    "Send a time in the future, within a year.",
    "Please choose a time in the future, within a year.",
    "Bitte wähle eine Zeit in der Zukunft, innerhalb eines Jahres.",
  ],

  // Applications of a club and their questions.
  [
    "`application_end_time` must not be before `application_start_time`.",
    "The application closes before it opens.",
    "Die Runde darf nicht schließen, bevor sie öffnet.",
  ],
  [
    "`result_release_time` must not be before `application_end_time`.",
    "The decisions are shown before the application closes.",
    "Entscheidungen dürfen nicht sichtbar sein, bevor die Runde schließt.",
  ],
  [
    "A club can have at most {open} applications that have not ended, and {all} in all.",
    null,
    "Ein Club kann höchstens {open} Runden haben, die noch nicht beendet sind, und insgesamt " +
      "{all}.",
  ],
  [
    "The copy would be later than the year 9999. Change this time of the original first.",
    null,
    "Die Kopie läge nach dem Jahr 9999. Ändere zuerst diese Zeit im Original.",
  ],
  [
    "This application has submissions. Add ?force=true to delete them too.",
    "This application has submissions.",
    "Zu dieser Runde gibt es Bewerbungen.",
  ],
  [
    "A committee that has submissions or slots cannot be removed.",
    "A committee that has submissions or interviews cannot be removed.",
    "Ein Bereich, für den es Bewerbungen oder Gespräche gibt, kann nicht entfernt werden.",
  ],
  [
    "All places of this slot are taken.",
    "All places at this time are taken.",
    "Zu dieser Zeit sind alle Plätze vergeben.",
  ],
  [
    "It is too late to change this interview. Ask the club.",
    null,
    "Es ist zu spät, dieses Gespräch zu ändern. Frag den Club.",
  ],
  [
    "There is another interview at this time. Send `overlap` to book both.",
    "There is another interview at this time.",
    "Zu dieser Zeit gibt es ein anderes Gespräch.",
  ],
  [
    "There is no slot with this id for this submission.",
    "This time is not there any more.",
    "Diese Zeit gibt es nicht mehr.",
  ],
  ["This application is decided.", null, "Über diese Bewerbung ist entschieden."],
  [
    "Nothing is booked for this submission.",
    "No interview is booked.",
    "Es ist kein Gespräch gebucht.",
  ],
  [
    "The template does not show the link, so nobody can choose an interview.",
    "The text of the mail has no link, so nobody can choose an interview.",
    "Der Text der E-Mail hat keinen Link, deshalb kann niemand ein Gespräch wählen.",
  ],
  [
    "Invitations to an interview need the submissions.",
    "Choose whom to invite.",
    "Wähle aus, wer eingeladen wird.",
  ],
  [
    "This is not for invitations to an interview.",
    null,
    "Das gibt es für Einladungen zum Gespräch nicht.",
  ],
  [
    "At most {} interviewers are allowed.",
    "Choose at most {} interviewers.",
    "Wähle höchstens {} Personen, die das Gespräch führen.",
  ],
  [
    "There is no member of the club with this id.",
    "This person is not a member of the club.",
    "Diese Person ist nicht Mitglied des Clubs.",
  ],
  [
    "`end_time` can be at most 24 hours after `start_time`.",
    "The end can be at most 24 hours after the start.",
    "Das Ende kann höchstens 24 Stunden nach dem Beginn sein.",
  ],
  [
    "`end_time` must be after `start_time`.",
    "The end must be after the start.",
    "Das Ende muss nach dem Beginn sein.",
  ],
  [
    "More people have booked this slot.",
    "More people have booked this time.",
    "Mehr Personen haben diese Zeit gebucht.",
  ],
  [
    "Somebody has booked this slot for its committee.",
    "Somebody has booked this time for its committee.",
    "Jemand hat diese Zeit für ihren Bereich gebucht.",
  ],
  [
    "Somebody has booked this slot. Add ?force=true to cancel these interviews.",
    "Somebody has booked this time.",
    "Jemand hat diese Zeit gebucht.",
  ],
  [
    "At most {} slots can be made at once.",
    "At most {} times can be made at once.",
    "Höchstens {} Zeiten können auf einmal angelegt werden.",
  ],
  [
    "No slot of this length fits between these times.",
    "No interview of this length fits between these times.",
    "Kein Gespräch dieser Länge passt zwischen diese Zeiten.",
  ],
  [
    "An application can have at most {} slots.",
    "There can be at most {} times for interviews.",
    "Es kann höchstens {} Zeiten für Gespräche geben.",
  ],
  [
    "Another committee in this list has the same name.",
    "Another committee has the same name.",
    "Ein anderer Bereich hat denselben Namen.",
  ],
  ["At most {} committees are allowed.", null, "Höchstens {} Bereiche sind erlaubt."],
  ["This committee is in the list twice.", null, "Dieser Bereich steht zweimal in der Liste."],
  [
    "This application has no committee with this id.",
    "This committee does not exist any more. Please reload the page.",
    "Diesen Bereich gibt es nicht mehr. Bitte lade die Seite neu.",
  ],
  [
    "A multiple-choice question needs at least two options.",
    "A choice needs at least two options.",
    "Eine Auswahl braucht mindestens zwei Möglichkeiten.",
  ],
  [
    "Only multiple-choice questions have options.",
    "Only questions with a choice have options.",
    "Nur Fragen mit einer Auswahl haben Möglichkeiten.",
  ],
  [
    "A question for committees needs at least one committee.",
    null,
    "Eine Frage für bestimmte Bereiche braucht mindestens einen Bereich.",
  ],
  [
    "An application has at most {} questions.",
    "An application can have at most {} questions.",
    "Eine Runde kann höchstens {} Fragen haben.",
  ],
  ["At most {} options are allowed.", null, "Höchstens {} Möglichkeiten sind erlaubt."],
  [
    "Expected a text, or an object with a text in `value`.",
    "Please enter a text.",
    "Bitte gib einen Text an.",
  ],
  [
    "This application has no question with this id.",
    "This question does not exist any more. Please reload the page.",
    "Diese Frage gibt es nicht mehr. Bitte lade die Seite neu.",
  ],
  [
    "This application has no multiple-choice question with this id.",
    "Please choose a question with options that is in this form.",
    "Bitte wähle eine Frage mit Möglichkeiten aus diesem Formular.",
  ],
  [
    "Name at least one option.",
    "Please choose at least one option.",
    "Bitte wähle mindestens eine Möglichkeit.",
  ],
  [
    "That question has no option with this id.",
    "One of these options does not exist any more. Please reload the page.",
    "Eine dieser Möglichkeiten gibt es nicht mehr. Bitte lade die Seite neu.",
  ],
  [
    "That question depends on this one already.",
    "That question is itself asked depending on this one.",
    "Jene Frage hängt selbst von dieser ab.",
  ],
  [
    "A chain of questions that depend on each other has at most {} conditions.",
    null,
    "Eine Kette von Fragen, die voneinander abhängen, hat höchstens {} Bedingungen.",
  ],
  [
    "This question is for people who are not asked the one that it depends on.",
    null,
    "Diese Frage richtet sich an Leute, denen die Frage, von der sie abhängt, nicht gestellt wird.",
  ],
  [
    "The question {} depends on it: change its condition first.",
    "Another question depends on this one. Change its condition first.",
    "Eine andere Frage hängt von dieser ab. Ändere zuerst deren Bedingung.",
  ],
  [
    "A question for one of these committees depends on another one, which is for other committees. Change its condition first.",
    null,
    "Eine Frage für einen dieser Bereiche hängt von einer anderen ab, die für andere Bereiche ist. Ändere zuerst ihre Bedingung.",
  ],
  [
    "An information text takes no answer.",
    "A text without an answer cannot be required.",
    "Ein Text ohne Antwort kann nicht Pflicht sein.",
  ],
  [
    "The question {} needs an answer.",
    "This question needs an answer.",
    "Diese Frage braucht eine Antwort.",
  ],
  ["This question is in the list twice.", null, "Diese Frage steht zweimal in der Liste."],
  [
    "This question has no option with this id.",
    "This option does not exist any more. Please reload the page.",
    "Diese Möglichkeit gibt es nicht mehr. Bitte lade die Seite neu.",
  ],
  ["This option is in the list twice.", null, "Diese Möglichkeit steht zweimal in der Liste."],
  [
    "`end_time` must be after the end of the application.",
    "The extension must end after the application closes.",
    "Die Verlängerung muss enden, nachdem die Runde schließt.",
  ],
  ["This person already has an extension.", null, "Diese Person hat schon eine Verlängerung."],
  [
    "Send `username` or `person`.",
    "Please enter a user name.",
    "Bitte gib einen Benutzernamen an.",
  ],

  // Files.
  [
    "Files cannot be stored or read at the moment. Nothing was changed. Please try again.",
    null,
    "Dateien können gerade nicht gespeichert oder gelesen werden. Es wurde nichts geändert. Bitte versuche es noch einmal.",
  ],
  [
    "A question for a file has no limit on words.",
    null,
    "Eine Frage nach einer Datei hat keine Grenze für Wörter.",
  ],
  [
    "An application has at most {most} questions for files.",
    null,
    "Eine Runde hat höchstens {most} Fragen nach Dateien.",
  ],
  [
    "Name at least one format.",
    "Please choose at least one format.",
    "Bitte wähle mindestens ein Format.",
  ],
  ["Only questions for files have this.", null, "Das haben nur Fragen nach Dateien."],
  ["This question needs a file.", null, "Diese Frage braucht eine Datei."],
  ["This question takes no file.", null, "Diese Frage nimmt keine Datei."],
  ["This is never possible with a token.", null, "Das geht nie mit einem Token."],
  ["This needs a token with the scope {word}.", null, "Dafür braucht das Token das Recht {word}."],
  [
    "Changes after this cursor are not kept any more. Read everything, and begin without a cursor.",
    null,
    "Änderungen nach dieser Stelle gibt es nicht mehr. Lies alles neu und beginne ohne Stelle.",
  ],
  [
    "This is no cursor of this club. Send `next` of an earlier answer.",
    "This is no place in the changes of this club.",
    "Das ist keine Stelle in den Änderungen dieses Clubs.",
  ],
  ["This is no URL.", "This is no web address.", "Das ist keine Webadresse."],
  [
    "The URL can have at most 2,000 characters.",
    "The address can have at most 2,000 characters.",
    "Die Adresse darf höchstens 2.000 Zeichen haben.",
  ],
  [
    "The URL must begin with https://.",
    "The address must begin with https://.",
    "Die Adresse muss mit https:// beginnen.",
  ],
  [
    "The URL must not have a user name or a password.",
    "The address must not have a user name or a password.",
    "Die Adresse darf keinen Benutzernamen und kein Passwort haben.",
  ],
  [
    "The URL can have the ports 443 and 8443.",
    "The address can have the ports 443 and 8443.",
    "Die Adresse kann die Ports 443 und 8443 haben.",
  ],
  ["The URL has no host.", "The address names no host.", "Die Adresse nennt keinen Rechner."],
  [
    "A webhook cannot call this service itself.",
    null,
    "Ein Webhook kann nicht diesen Dienst selbst aufrufen.",
  ],
  [
    "A webhook can only call a public address.",
    null,
    "Ein Webhook kann nur eine öffentliche Adresse aufrufen.",
  ],
  [
    "Name at least one type.",
    "Please tick at least one kind of change.",
    "Bitte kreuze mindestens eine Art von Änderung an.",
  ],
  [
    "There can be at most {} webhooks. Delete one first.",
    "There can be at most {} webhooks. Please delete one first.",
    "Es kann höchstens {} Webhooks geben. Bitte lösche zuerst einen.",
  ],
  [
    "This webhook is off. Switch it on first.",
    "This webhook is off. Please switch it on first.",
    "Dieser Webhook ist aus. Bitte schalte ihn zuerst ein.",
  ],
  [
    "Too many secrets sign at present. Each one signs for a day after the next.",
    "There are many secrets already. Please wait until tomorrow.",
    "Es gibt schon viele Geheimnisse. Bitte warte bis morgen.",
  ],
  ["This token is for another club.", null, "Dieses Token ist für einen anderen Club."],
  [
    "Too many wrong tokens came from this address.",
    "Too many wrong tokens came from here. Please wait a minute.",
    "Von hier kamen zu viele falsche Tokens. Bitte warte eine Minute.",
  ],
  [
    "Name at least one scope.",
    "Please tick at least one thing that the token may do.",
    "Bitte kreuze mindestens eine Sache an, die das Token darf.",
  ],
  [
    "You can have at most {} tokens that have not expired. End one first.",
    "You can have at most {} tokens. Please end one first.",
    "Du kannst höchstens {} Tokens haben. Bitte beende zuerst eines.",
  ],
  [
    "The file has not arrived. Please upload it again.",
    null,
    "Die Datei ist nicht angekommen. Bitte lade sie noch einmal hoch.",
  ],
  [
    "The file is not of the type that its name says.",
    null,
    "Die Datei ist nicht von der Art, die ihr Name sagt.",
  ],
  [
    "The file is not what was announced. Please upload it again.",
    null,
    "Die Datei ist nicht die angekündigte. Bitte lade sie noch einmal hoch.",
  ],
  [
    "There is no file of yours with this id for this question.",
    "This file is not there any more. Please upload it again.",
    "Diese Datei gibt es nicht mehr. Bitte lade sie noch einmal hoch.",
  ],
  ["At most {} MiB are allowed.", "At most {} MB are allowed.", "Höchstens {} MB sind erlaubt."],
  [
    "Expected 64 lower-case hexadecimal digits.",
    "This could not be understood. Please reload the page and try again.",
    "Das wurde nicht verstanden. Bitte lade die Seite neu und versuche es noch einmal.",
  ],
  [
    "This application has no question for a file with this id.",
    "This question does not exist any more. Please reload the page.",
    "Diese Frage gibt es nicht mehr. Bitte lade die Seite neu.",
  ],
  [
    "This question takes {}.",
    "This question takes another kind of file.",
    "Diese Frage nimmt eine andere Art von Datei.",
  ],
  [
    "You can have at most {} files here that are not submitted.",
    null,
    "Du kannst hier höchstens {} Dateien haben, die nicht eingereicht sind.",
  ],

  // What applicants send.
  [
    "You cannot make, change or withdraw a submission to this application now.",
    "You cannot apply here now, nor change or withdraw what you sent.",
    "Du kannst dich hier gerade nicht bewerben und deine Bewerbung weder ändern noch zurückziehen.",
  ],
  [
    "You can have at most {} submissions.",
    "You can have at most {} applications.",
    "Du kannst höchstens {} Bewerbungen haben.",
  ],
  [
    "You can have at most {} submissions, with withdrawn ones.",
    "You can have at most {} applications, with withdrawn ones.",
    "Du kannst höchstens {} Bewerbungen haben, zurückgezogene eingeschlossen.",
  ],
  [
    "All answers together may have at most {} bytes.",
    "All answers together may have at most {:size}. Please shorten one.",
    "Alle Antworten zusammen dürfen höchstens {:size} groß sein. Bitte kürze eine.",
  ],
  [
    "The drafts of this application may have at most {} KiB together. Shorten an answer.",
    "All answers together may have at most {} KB. Please shorten one.",
    "Alle Antworten zusammen dürfen höchstens {} KB groß sein. Bitte kürze eine.",
  ],
  [
    "At most {limit} words are allowed. This answer has {words}.",
    null,
    "Höchstens {limit} Wörter sind erlaubt. Diese Antwort hat {words}.",
  ],
  ["At most {} answers are allowed.", null, "Höchstens {} Antworten sind erlaubt."],
  [
    "This is an information text. It takes no answer.",
    "This is only a text. It needs no answer.",
    "Das ist nur ein Text. Er braucht keine Antwort.",
  ],
  ["This question is answered twice.", null, "Diese Frage ist zweimal beantwortet."],
  [
    "This question is only for other committees than the chosen one. Leave it out.",
    "This question is only for other committees than the one you chose.",
    "Diese Frage ist nur für andere Bereiche als den gewählten.",
  ],
  ["This question is only for other committees.", null, "Diese Frage ist nur für andere Bereiche."],
  [
    "This question needs a text answer.",
    "Please answer this question with a text.",
    "Bitte beantworte diese Frage mit einem Text.",
  ],
  [
    "This question needs one of its options in `multiple_choice`, and no text.",
    "Please choose one of the options.",
    "Bitte wähle eine der Möglichkeiten.",
  ],
  [
    "Send a text, an option or a file. Null removes the answer.",
    "Please enter a text or choose an option.",
    "Bitte gib einen Text an oder wähle eine Möglichkeit.",
  ],
  [
    "An answer was changed in another tab or on another device. Nothing was stored.",
    "An answer was changed in another tab or on another device. Nothing was saved.",
    "Eine Antwort wurde in einem anderen Tab oder auf einem anderen Gerät geändert. Nichts " +
      "wurde gespeichert.",
  ],

  // Decisions and reviews.
  [
    "At most {} submissions are allowed.",
    "At most {} submissions are allowed at once.",
    "Höchstens {} Bewerbungen auf einmal sind erlaubt.",
  ],
  [
    "This application has no submission {id}.",
    "One of these submissions does not exist any more. Please reload the page.",
    "Eine dieser Bewerbungen gibt es nicht mehr. Bitte lade die Seite neu.",
  ],
  ["This submission is in the list twice.", null, "Diese Bewerbung steht zweimal in der Liste."],
  [
    "{updated} submissions updated.",
    "Submissions changed: {updated}.",
    "Geänderte Bewerbungen: {updated}.",
  ],
  [
    "The data of this applicant was erased. What remains cannot be changed any more.",
    null,
    "Die Daten dieser Person wurden gelöscht. Was noch da ist, lässt sich nicht mehr ändern.",
  ],
  [
    "Send a score or a comment.",
    "Please give a score or write a comment.",
    "Bitte gib Punkte oder schreibe einen Kommentar.",
  ],

  // Mails and their texts.
  [
    "{recipients} e-mails would be sent.",
    "Mails that would be sent: {recipients}.",
    "Mails, die gesendet würden: {recipients}.",
  ],
  [
    "{sent} e-mails sent, {queued} queued, {failed} failed.",
    "Mails sent: {sent}, waiting: {queued}, failed: {failed}.",
    "Mails gesendet: {sent}, wartend: {queued}, fehlgeschlagen: {failed}.",
  ],
  [
    "{sent} e-mails sent, {queued} queued, {failed} failed, {left} not queued.",
    "Mails sent: {sent}, waiting: {queued}, failed: {failed}, still to be sent: {left}.",
    "Mails gesendet: {sent}, wartend: {queued}, fehlgeschlagen: {failed}, noch zu senden: {left}.",
  ],
  [
    "{left} e-mails could not be queued in time. Call again to send the rest.",
    "There was no time for all mails. Still to be sent: {left}. Please send them once more.",
    "Die Zeit reichte nicht für alle Mails. Noch zu senden: {left}. Bitte sende sie noch einmal.",
  ],
  [
    "It is not known whether {unknown} e-mails were sent. See `email_status`.",
    "Mails that were perhaps sent: {unknown}. The list of submissions shows which.",
    "Vielleicht gesendete Mails: {unknown}. Die Liste der Bewerbungen zeigt, welche.",
  ],
  ["{n} people are not decided yet.", null, "Über {n} Personen ist noch nicht entschieden."],
  [
    "Send at least one id, or leave this field out to choose all submissions.",
    "Please choose at least one submission.",
    "Bitte wähle mindestens eine Bewerbung.",
  ],
  [
    "Something changed since the preview: decisions, reasons, templates, addresses or " +
      "recipients. Nothing was sent. Make a new preview.",
    "Something changed since the preview: decisions, reasons, mail texts, addresses or " +
      "recipients. Nothing was sent. Please look at a new preview.",
    "Seit der Vorschau hat sich etwas geändert: Entscheidungen, Begründungen, Mailtexte, " +
      "Adressen oder Empfänger. Nichts wurde gesendet. Bitte sieh dir eine neue Vorschau an.",
  ],
  [
    "The mail about submission {first} {why}.",
    "One of the mails would be too large. Please shorten its text or the reason.",
    "Eine der Mails wäre zu groß. Bitte kürze ihren Text oder die Begründung.",
  ],
  [
    "The results are released at {release}. These mails would announce them earlier.",
    "The decisions are shown from {release:time}. These mails would tell them earlier.",
    "Die Entscheidungen sind ab {release:time} sichtbar. Diese Mails würden sie früher verraten.",
  ],
  [
    "The template shows the reason, but {without_reason} decisions have no reason.",
    "The mail tells the reason. Decisions without a reason: {without_reason}.",
    "Die Mail nennt die Begründung. Entscheidungen ohne Begründung: {without_reason}.",
  ],
  [
    "These are too many mails for one preview. Choose fewer with `submissions`.",
    "These are too many mails for one preview. Please choose fewer submissions.",
    "Das sind zu viele Mails für eine Vorschau. Bitte wähle weniger Bewerbungen.",
  ],
  [
    "{name:?} is not a variable. There are: {}.",
    "The mail cannot name “{name}”. It can name: {}.",
    "Die Mail kann „{name}“ nicht nennen. Sie kann nennen: {}.",
  ],
  ["{open} without {close}.", "{close} is missing after {open}.", "Nach {open} fehlt {close}."],
  [
    "{{%{inner}%}} is not supported: there are if, else and endif.",
    "{%{inner}%} is not possible here. There are if, else and endif.",
    "{%{inner}%} gibt es hier nicht. Es gibt if, else und endif.",
  ],
  [
    "Comments are not supported.",
    "Comments are not possible here.",
    "Kommentare sind hier nicht möglich.",
  ],
  [
    "Each {% if %} needs an {% endif %}, and at most one {% else %}.",
    null,
    "Zu jedem {% if %} gehört ein {% endif %} und höchstens ein {% else %}.",
  ],
  [
    "{{% if {name} %}} is at a place where HTML allows no text, such as between the rows of a " +
      "table. Put it inside a cell, or around the whole table.",
    "{% if {name} %} is where no text can be, such as between the rows of a table. Put it " +
      "inside a cell, or around the whole table.",
    "{% if {name} %} steht dort, wo kein Text stehen kann, zum Beispiel zwischen den Zeilen " +
      "einer Tabelle. Setze es in eine Zelle oder um die ganze Tabelle.",
  ],
];

/**
 * What the test does not find in the code: sentences that begin with a digit or end with a value,
 * what some values are, and sentences that say more with the place that stands before them.
 * @type {[string, string | null, string][]}
 */
export const UNLISTED = [
  [
    "1 person is not decided yet.",
    "One person is not decided yet.",
    "Über eine Person ist noch nicht entschieden.",
  ],
  ["Send this parameter once.", ...AGAIN],
  [
    "The template of this mail is not valid: {why}",
    "The text of this mail is not right. {why:told}",
    "Der Text dieser Mail stimmt nicht. {why:told}",
  ],
  [
    "A club can add at most {limit} people who neither asked nor applied in 24 hours. Invite " +
      "them instead, or wait.",
    null,
    "Ein Club kann in 24 Stunden höchstens {limit} Personen aufnehmen, die weder angefragt " +
      "noch sich beworben haben. Lade sie stattdessen ein oder warte.",
  ],
  [
    "{column}: This request does not have this field.",
    "“{column}” is not known here. Please check this name.",
    "„{column}“ ist hier nicht bekannt. Bitte prüfe diesen Namen.",
  ],
  [
    "{row}: A row has more cells than the header line has columns.",
    "Row {row} has more cells than there are columns.",
    "Zeile {row} hat mehr Zellen, als es Spalten gibt.",
  ],
];

/**
 * Sentences that are clearer if they know their field: sentence, field, English, German.
 * @type {[string, string, string, string][]}
 */
export const AT_FIELDS = [
  ["This field is required.", "file", "Please choose a file.", "Bitte wähle eine Datei."],
];

/** A part of a sentence of the API that is not fixed: a brace, or a value. */
const PART = /\{\{|\}\}|\{([\w.]*)(:\?)?\}/g;
/** A value in a sentence for people. */
const VALUE = /\{([\w.]*)(?::(\w+))?\}/g;

/** How values are shown. */
const SHOWN = {
  /** A number of bytes, such as "4 MB". */
  size(text, language) {
    const bytes = Number(text);
    if (!(bytes > 0)) return text;
    const kilo = bytes % 1024 === 0 ? 1024 : 1000;
    const [size, unit] = bytes >= kilo * kilo ? [kilo * kilo, "MB"] : [kilo, "KB"];
    const format = new Intl.NumberFormat(language, { maximumFractionDigits: 1 });
    return `${format.format(bytes / size)} ${unit}`;
  },
  /** A moment in the reader's zone. */
  time(text, language) {
    const time = Date.parse(text);
    if (Number.isNaN(time)) return text;
    const format = new Intl.DateTimeFormat(language, { dateStyle: "medium", timeStyle: "short" });
    return format.format(time);
  },
  /** A sentence of its own. */
  told: (text, language) => sentence(text, language) ?? text,
};

/**
 * @typedef {{
 *   pattern: RegExp,
 *   names: string[],
 *   fixed: number,
 *   field: string,
 *   texts: {en: string | null, de: string},
 * }} Known
 */

/** @param {string} api @param {string | null} en @param {string} de @returns {Known} */
function read(api, en, de, field = "") {
  const names = [];
  let [source, fixed, end, unnamed] = ["", 0, 0, 0];
  const literal = (text) => {
    source += text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
    fixed += text.length;
  };
  for (const part of api.matchAll(PART)) {
    literal(api.slice(end, part.index));
    end = part.index + part[0].length;
    const [whole, name, quoted] = part;
    if (name === undefined) literal(whole[0]);
    else {
      names.push(name || String(unnamed++));
      // A sentence may contain what stands between values.
      const sentences = de.includes(`{${name}:told}`);
      source += quoted ? '"?(.*?)"?' : sentences ? "(.+)" : "(.+?)";
    }
  }
  literal(api.slice(end));
  return { pattern: new RegExp(`^${source}$`, "s"), names, fixed, field, texts: { en, de } };
}

/** @type {Known[] | undefined} */
let known;

/** The sentence with the longest fixed text that fits, and its values. */
function find(text, field) {
  known ??= [
    ...AT_FIELDS.map(([api, field, en, de]) => read(api, en, de, field)),
    ...[...SENTENCES, ...UNLISTED].map(([api, en, de]) => read(api, en, de)),
  ].sort((a, b) => b.fixed - a.fixed);
  for (const one of known) {
    const match = (one.field === "" || one.field === field) && one.pattern.exec(text);
    if (match) return { text, one, values: match.slice(1) };
  }
  return null;
}

/** What was found, in a language. */
function show({ text, one, values }, language) {
  const wanted = one.texts[language];
  if (!wanted) return text;
  let unnamed = 0;
  return wanted.replace(VALUE, (_, name, how) => {
    const value = values[one.names.indexOf(name || String(unnamed++))] ?? "";
    // Quoted values have a backslash before quotes.
    return how ? SHOWN[how](value, language) : value.replace(/\\(["'\\])/g, "$1");
  });
}

/** Several sentences after each other; null if there is only one, or one of them is not known. */
function joined(text, language) {
  const parts = text.split(". ").map((part, i, all) => (i < all.length - 1 ? `${part}.` : part));
  /**
   * What people read from each part on; the last one is the end.
   * @type {(string[] | null)[]}
   */
  const rest = parts.map(() => null);
  rest.push([]);
  for (let from = parts.length - 1; from >= 0; from--) {
    for (let to = from + 1; to <= parts.length && !rest[from]; to++) {
      const next = rest[to];
      const found = next && to - from < parts.length && find(parts.slice(from, to).join(" "), "");
      if (next && found) rest[from] = [show(found, language), ...next];
    }
  }
  return rest[0]?.join(" ") ?? null;
}

/**
 * The sentence for people in a language ("en" or "de"); null if it is not known. A field with a
 * colon before it, as in `detail`, is left out. `field` is the field at which the sentence stands.
 * @param {string} text
 * @param {string} language
 * @param {string} [field]
 * @returns {string | null}
 */
export function sentence(text, language, field = "") {
  const whole = find(text, field.split(".").at(-1));
  const at = /^([^\s:]+): (.+)$/s.exec(text);
  const part = at && find(at[2], at[1].split(".").at(-1));
  if (part && part.one.fixed >= (whole?.one.fixed ?? 0)) return show(part, language);
  // A value that contains the end of a sentence may be several sentences.
  const isOne = whole && !whole.values.some((value) => value.includes(". "));
  return (isOne ? null : joined(text, language)) ?? (whole && show(whole, language));
}

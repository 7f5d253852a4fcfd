// What the API refuses, in German, as in `en_problems.js`.

export default {
  // What went wrong as a whole.
  "problem.authentication_required": "Bitte melde dich an.",
  "problem.invalid_token": "Du bist nicht mehr angemeldet. Bitte melde dich noch einmal an.",
  "problem.permission_denied": "Das darfst du nicht.",
  "problem.erasing": "Dein Konto wird gerade gelöscht.",
  "problem.not_found": "Nicht gefunden.",
  "problem.precondition_failed": "Dies wurde inzwischen geändert. Sieh es dir noch einmal an.",
  "problem.draft_conflict":
    "Eine Antwort wurde in einem anderen Tab oder auf einem anderen Gerät geändert. Nichts wurde gespeichert.",
  "problem.rate_limited": "Das war zu oft. Bitte warte etwas.",
  "problem.method_not_allowed":
    "Das geht hier nicht. Bitte lade die Seite neu und versuche es noch einmal.",
  "problem.not_acceptable":
    "Dein Browser kann die Antwort nicht lesen. Bitte versuche es mit einem anderen.",
  "problem.unsupported_media_type": "Bitte wähle eine andere Datei.",
  "problem.payload_too_large": "Das ist zu groß zum Senden.",
  "problem.cursor_expired": "Die Liste lässt sich hier nicht fortsetzen. Bitte lade die Seite neu.",
  "problem.scope": "Mit einem Token geht das nicht.",
  "problem.busy": "Der Dienst ist gerade überlastet. Bitte versuche es noch einmal.",
  "problem.files_unavailable":
    "Dateien können gerade nicht gespeichert oder gelesen werden. Es wurde nichts geändert. Bitte versuche es noch einmal.",
  "problem.outcome_unknown":
    "Es ist nicht bekannt, ob dies gespeichert wurde. Du darfst es noch einmal senden.",
  "problem.internal":
    "Bei uns ist etwas schiefgegangen. Wenn es wieder passiert, nenne uns diese Nummer: {request_id}.",
  "problem.invalid":
    "Das wurde nicht verstanden. Bitte lade die Seite neu und versuche es noch einmal.",
  "problem.unread": "Das ist nicht vollständig angekommen. Bitte versuche es noch einmal.",
  "problem.large_body": "Das ist zu groß zum Senden. Höchstens {size} sind erlaubt.",
  "problem.large_response": "Das ist zu viel auf einmal. Bitte wähle weniger aus.",
  "problem.invalid_cursor": "Die Liste lässt sich hier nicht fortsetzen. Bitte lade die Seite neu.",
  "problem.key_reused":
    "Dies wurde schon mit anderem Inhalt gesendet. Bitte lade die Seite neu und versuche es noch einmal.",
  "problem.changed": "Gleichzeitig wurde etwas geändert. Bitte versuche es noch einmal.",

  // Fields of all kinds.
  "problem.required": "Dieses Feld fehlt.",
  "problem.required.file": "Bitte wähle eine Datei.",
  "problem.blank": "Dieses Feld darf nicht leer sein.",
  "problem.null": "Dieses Feld darf nicht leer sein.",
  "problem.unknown_field": "„{at}“ ist hier nicht bekannt. Bitte prüfe diesen Namen.",
  "problem.twice.committees": "Ein Bereich kommt zweimal vor.",
  "problem.twice.multiple_choice": "Eine Möglichkeit kommt zweimal vor.",
  "problem.twice": "Das kommt zweimal vor.",
  "problem.not_text": "Bitte gib einen Text an.",
  "problem.not_number": "Bitte gib eine ganze Zahl an.",
  "problem.out_of_range": "Bitte gib eine ganze Zahl von {minimum} bis {limit} an.",
  "problem.too_small": "Bitte gib eine ganze Zahl ab {minimum} an.",
  "problem.not_time": "Bitte gib Datum und Uhrzeit an.",
  "problem.not_reference": "Bitte wähle einen der Einträge.",
  "problem.not_allowed": "Bitte wähle eine der Möglichkeiten.",
  "problem.not_allowed.role":
    "Die Rolle kann owner (Leitung), officer (Vorstand) oder member (Mitglied) sein.",
  "problem.not_address": "Bitte gib eine E-Mail-Adresse an.",
  "problem.wrong_address": "„{value}“ ist keine E-Mail-Adresse.",
  "problem.not_url": "Bitte gib eine Adresse an, die mit https:// beginnt.",
  "problem.not_color": "Bitte gib eine Farbe wie #1f6feb an, oder lass das Feld leer.",
  "problem.invalid_code":
    "Erlaubt sind a-z, 0-9 und -, höchstens 64 Zeichen, mit mindestens einem Buchstaben.",
  "problem.no_letter": "Der Name braucht mindestens einen Buchstaben.",
  "problem.control_characters": "Zeilenumbrüche sind hier nicht erlaubt.",
  "problem.hidden_characters": "Dieser Text enthält unsichtbare Zeichen. Bitte tippe ihn neu ein.",
  "problem.too_long": "Höchstens {limit} Zeichen sind erlaubt.",
  "problem.too_many_bytes":
    "Dieser Text ist zu lang. Mit seiner Formatierung sind höchstens {size} erlaubt.",
  "problem.too_many_words": "Höchstens {limit} Wörter sind erlaubt. Diese Antwort hat {count}.",
  "problem.too_many.committees": "Höchstens {limit} Bereiche sind erlaubt.",
  "problem.too_many.multiple_choice": "Höchstens {limit} Möglichkeiten sind erlaubt.",
  "problem.too_many.rows": "Höchstens {limit} Zeilen sind erlaubt.",
  "problem.too_many.emails": "Höchstens {limit} Adressen sind erlaubt.",
  "problem.too_many.submissions": "Höchstens {limit} Bewerbungen auf einmal sind erlaubt.",
  "problem.too_many": "Höchstens {limit} sind erlaubt.",
  "problem.too_few": "Bitte wähle mindestens eins.|Bitte wähle mindestens {n}.",
  "problem.too_few.multiple_choice": "Eine Auswahl braucht mindestens zwei Möglichkeiten.",
  "problem.too_few.formats": "Bitte wähle mindestens ein Format.",
  "problem.too_few.options": "Bitte wähle mindestens eine Möglichkeit.",
  "problem.too_few.committees":
    "Eine Frage für bestimmte Bereiche braucht mindestens einen Bereich.",
  "problem.too_few.submissions": "Bitte wähle mindestens eine Bewerbung.",
  "problem.too_few.scopes": "Bitte kreuze mindestens eine Sache an, die das Token darf.",
  "problem.too_few.types": "Bitte kreuze mindestens eine Art von Änderung an.",
  "problem.too_few.emails": "Bitte gib mindestens eine Adresse an.",
  "problem.too_many_tags": "Dieser Text hat zu viele Formatierungen. Bitte entferne einige.",
  "problem.too_many_formats": "Dieser Text hat zu viele Formatierungen. Bitte entferne einige.",
  "problem.long_tag":
    "Ein Teil des Textes hat zu viel Formatierung. Lass Bilder weg, die im Text stecken, und füge Text aus Word ohne Formatierung ein.",
  "problem.short_search": "Mindestens ein Wort der Suche braucht {minimum} oder mehr Zeichen.",
  "problem.only_null": "Bitte wähle das Bild als Datei.",

  // Times.
  "problem.before": "Das Ende liegt vor dem Beginn.",
  "problem.before.application_start_time": "Die Runde darf nicht schließen, bevor sie öffnet.",
  "problem.before.application_end_time":
    "Entscheidungen dürfen nicht sichtbar sein, bevor die Runde schließt.",
  "problem.before.registration_start_time": "Die Anmeldung darf nicht enden, bevor sie beginnt.",
  "problem.after.ticket_drop_time": "Die Tickets gibt es erst nach dem Ende.",
  "problem.after.registration_start_time":
    "Die Anmeldung darf nicht erst nach dem Ende der Messe beginnen.",
  "problem.after": "Das liegt nach dem Ende.",
  "problem.not_after": "Das Ende muss nach dem Beginn liegen.",
  "problem.not_after.application_end_time":
    "Die Verlängerung muss enden, nachdem die Runde schließt.",
  "problem.not_within_year": "Bitte wähle eine Zeit in der Zukunft, innerhalb eines Jahres.",
  "problem.too_many_hours": "Das Ende darf höchstens {limit} Stunden nach dem Beginn liegen.",
  "problem.too_late": "Das läge nach dem Jahr 9999.",

  // What is there, and what is not.
  "problem.unknown_id": "Das gibt es nicht mehr. Bitte lade die Seite neu.",
  "problem.unknown_id.file": "Diese Datei gibt es nicht mehr. Bitte lade sie noch einmal hoch.",
  "problem.unknown_member": "Diese Person ist nicht Mitglied des Clubs.",
  "problem.unknown_choice": "Bitte wähle eine Frage mit Möglichkeiten aus diesem Formular.",
  "problem.unknown_entry": "Einen dieser Einträge gibt es nicht mehr. Bitte lade die Seite neu.",
  "problem.unknown_club": "Diesen Club gibt es nicht.",
  "problem.unknown_person": "Diese Person gibt es nicht.",
  "problem.unknown_username": "Diesen Benutzernamen hat niemand, oder mehrere Personen haben ihn.",
  "problem.mail_resent_too_often": "Diese Mail wurde schon {limit}-mal erneut gesendet.",
  "problem.mail_not_kept":
    "Der Text dieser Mail ist nicht mehr gespeichert, deshalb kann sie nicht noch einmal gesendet werden.",
  "problem.no_address": "Von dieser Person ist keine Adresse bekannt.",
  "problem.ambiguous_address":
    "Mehrere Personen haben diese Adresse. Bitte gib ihre Benutzernamen an.",
  "problem.unknown_tag": "Das Schlagwort „{value}“ gibt es nicht.",
  "problem.taken.code": "Dieser Kurzname ist schon vergeben.",
  "problem.taken.name": "Diesen Namen gibt es schon.",
  "problem.taken": "Das gibt es schon.",
  "problem.reserved": "Dieser Kurzname ist reserviert.",
  "problem.code_of_deleted_club": "Dieser Kurzname gehört zu einem gelöschten Club.",
  "problem.common_name":
    "Hundert Clubs heißen schon so. Wähle einen anderen Namen oder gib einen Kurznamen an.",
  "problem.no_code": "Aus diesem Namen lässt sich kein Kurzname bilden. Bitte gib einen an.",
  "problem.already_listed": "Dieser Club ist schon in deiner Liste.",
  "problem.tag_deleted":
    "Ein Schlagwort oder eine Auszeichnung wurde gerade gelöscht. Bitte lade die Seite neu und wähle noch einmal.",
  "problem.entry_in_use":
    "Dieser Eintrag kann nicht gelöscht werden, weil Clubs (auch gelöschte) oder Personen ihn benutzen.",
  "problem.no_time_left":
    "Für diese Zeile reichte die Zeit nicht. Bitte importiere die Datei noch einmal.",

  // Limits.
  "problem.too_many_created":
    "Du kannst höchstens {limit} Clubs anlegen. Gelöschte Clubs zählen mit. Für Admins gibt es keine Grenze.",
  "problem.too_many_owned":
    "Eine Person kann höchstens {limit} Clubs leiten. Gelöschte Clubs zählen mit.",
  "problem.too_many_open_events":
    "Ein Club kann höchstens {limit} Veranstaltungen haben, die noch nicht vorbei sind.",
  "problem.too_many_events":
    "Ein Club kann höchstens {limit} Veranstaltungen haben. Lösche einige, die vorbei sind.",
  "problem.long_locations": "Die Orte aller Termine einer Veranstaltung sind zusammen zu lang.",
  "problem.too_many_applications":
    "Ein Club kann höchstens {limit} Runden haben, die noch nicht beendet sind, und insgesamt {total}.",
  "problem.too_many_questions": "Eine Runde kann höchstens {limit} Fragen haben.",
  "problem.too_many_file_questions": "Eine Runde kann höchstens {limit} Fragen nach Dateien haben.",
  "problem.too_many_slots": "Es kann höchstens {limit} Zeiten für Gespräche geben.",
  "problem.long_series": "Höchstens {limit} Zeiten können auf einmal angelegt werden.",
  "problem.changed_too_often":
    "Dies wurde schon {limit}-mal geändert. Bitte lege stattdessen etwas Neues an.",
  "problem.interview_changed_too_often":
    "Dieses Gespräch wurde sehr oft geändert. Es lässt sich nur noch absagen.",
  "problem.too_many_submissions": "Du kannst höchstens {limit} Bewerbungen haben.",
  "problem.too_many_with_withdrawn":
    "Du kannst höchstens {limit} Bewerbungen haben, zurückgezogene eingeschlossen.",
  "problem.long_answers":
    "Alle Antworten zusammen dürfen höchstens {size} groß sein. Bitte kürze eine.",
  "problem.long_drafts":
    "Alle deine Antworten hier, auch die für andere Bereiche, dürfen zusammen höchstens {size} groß sein. Bitte kürze eine.",
  "problem.long_committees":
    "Die Namen aller Bereiche dürfen zusammen höchstens {size} groß sein. Bitte kürze einen.",
  "problem.many_draft_answers":
    "Hier werden höchstens {limit} Antworten aufbewahrt, die für andere Bereiche eingeschlossen.",
  "problem.too_many_files":
    "Du kannst hier höchstens {limit} Dateien haben, die nicht eingereicht sind.",
  "problem.too_many_tokens": "Du kannst höchstens {limit} Tokens haben. Bitte beende zuerst eines.",
  "problem.too_many_join_links":
    "Ein Club kann höchstens {limit} Beitrittslinks haben. Ziehe zuerst einen zurück.",
  "problem.too_many_webhooks":
    "Es kann höchstens {limit} Webhooks geben. Bitte lösche zuerst einen.",
  "problem.too_many_secrets": "Es gibt schon viele Geheimnisse. Bitte warte bis morgen.",
  "problem.too_many_tests":
    "Aufrufe eines Webhooks lassen sich {limit}-mal in einer Stunde anstoßen. Bitte versuche es später noch einmal.",
  "problem.too_many_invitations":
    "Ein Club kann in 24 Stunden höchstens {limit} Einladungen senden.",
  "problem.too_many_added":
    "Ein Club kann in 24 Stunden höchstens {limit} Personen aufnehmen. Lade sie stattdessen ein oder warte.",
  "problem.too_many_strangers":
    "Ein Club kann in 24 Stunden höchstens {limit} Personen aufnehmen, die weder angefragt noch sich beworben haben. Lade sie stattdessen ein oder warte.",
  "problem.too_many_imported":
    "Ein Club kann in 24 Stunden höchstens {limit} Personen aufnehmen oder einladen. Bitte importiere diese Zeile später.",
  "problem.invited_just_now":
    "Warte zehn Minuten, bevor du dieselbe Einladung noch einmal sendest.",

  // Clubs and their members.
  "problem.last_owner": "Ein Club braucht mindestens eine Person in der Leitung.",
  "problem.only_owner":
    "Nur du leitest {value}. Gib jemand anderem die Leitung oder lösche auch diese Clubs.",
  "problem.club_not_approved": "Dieser Club ist noch nicht freigegeben.",
  "problem.registration_closed": "Clubs können sich für diese Messe gerade nicht anmelden.",
  "problem.you_are_member": "Du bist schon Mitglied dieses Clubs.",
  "problem.already_member": "Diese Person ist schon Mitglied.",
  "problem.already_invited": "Diese Adresse hat schon eine offene Einladung.",
  "problem.invite_unusable":
    "Diese Einladung gilt nicht. Sie ist abgelaufen, zurückgezogen oder schon benutzt.",
  "problem.link_unusable":
    "Dieser Link gilt nicht. Er ist abgelaufen, aufgebraucht oder zurückgezogen.",
  "problem.not_invited":
    "Diese Adresse konnte gerade nicht eingeladen werden. Bitte importiere diese Zeile noch einmal.",
  "problem.no_name": "Eine Zeile braucht einen Namen oder einen Kurznamen.",
  "problem.nobody_named": "Eine Zeile braucht eine Adresse oder einen Benutzernamen.",
  "problem.no_person": "Bitte gib einen Benutzernamen an.",
  "problem.role_above_yours": "Du kannst nur Rollen unter deiner eigenen ändern.",
  "problem.role_too_high": "Du kannst keine Rolle über deiner eigenen vergeben.",
  "problem.no_officer": "Du darfst das in diesem Club nicht mehr.",
  "problem.webhook_off": "Dieser Webhook ist aus. Bitte schalte ihn zuerst ein.",
  "problem.invalid_url": "Das ist keine Webadresse.",
  "problem.url_not_https": "Die Adresse muss mit https:// beginnen.",
  "problem.url_has_password": "Die Adresse darf keinen Benutzernamen und kein Passwort haben.",
  "problem.url_port": "Die Adresse kann die Ports 443 und 8443 haben.",
  "problem.url_has_no_host": "Die Adresse nennt keinen Rechner.",
  "problem.url_of_service": "Ein Webhook kann nicht diesen Dienst selbst aufrufen.",
  "problem.url_not_public": "Ein Webhook kann nur eine öffentliche Adresse aufrufen.",

  // Images, files and tables.
  "problem.not_image": "Bitte wähle ein Bild als PNG, JPEG, WebP oder GIF.",
  "problem.broken_image": "Das Bild kann nicht gelesen werden. Bitte wähle ein anderes.",
  "problem.large_image":
    "Das Bild ist zu groß. Bitte wähle ein kleineres oder eines ohne Transparenz.",
  "problem.too_many_megapixels": "Das Bild ist zu groß. Höchstens {limit} Megapixel sind erlaubt.",
  "problem.large_file": "Höchstens {limit} MB sind erlaubt.",
  "problem.other_format": "Diese Frage nimmt eine andere Art von Datei.",
  "problem.file_not_arrived": "Die Datei ist nicht angekommen. Bitte lade sie noch einmal hoch.",
  "problem.file_of_other_type": "Die Datei ist nicht von der Art, die ihr Name sagt.",
  "problem.other_file": "Die Datei ist nicht die angekündigte. Bitte lade sie noch einmal hoch.",
  "problem.invalid_csv":
    "Die CSV-Datei ist nicht lesbar. Bitte speichere sie in deinem Tabellenprogramm noch einmal.",
  "problem.not_utf8":
    "Bitte speichere die Datei in deinem Tabellenprogramm als „CSV UTF-8“ und wähle sie noch einmal.",
  "problem.no_header": "Die Kopfzeile mit den Namen der Spalten fehlt.",
  "problem.near_column": "Ist das die Spalte „{value}“? Bitte benenne sie um oder lass sie weg.",
  "problem.nameless_column": "Eine Spalte hat in der Kopfzeile keinen Namen.",
  "problem.too_many_cells": "Zeile {at} hat mehr Zellen, als es Spalten gibt.",
  "problem.open_quote": "Ein Anführungszeichen in Zeile {at} ist nicht geschlossen.",

  // Applications of a club and their questions.
  "problem.has_submissions": "Zu dieser Runde gibt es Bewerbungen.",
  "problem.committee_in_use":
    "Ein Bereich, für den es Bewerbungen oder Gespräche gibt, kann nicht entfernt werden.",
  "problem.has_extension": "Diese Person hat schon eine Verlängerung.",
  "problem.takes_no_answer": "Das ist nur ein Text. Er nimmt keine Antwort.",
  "problem.only_for_files": "Das haben nur Fragen nach Dateien.",
  "problem.only_for_choices": "Nur Fragen mit einer Auswahl haben Möglichkeiten.",
  "problem.no_word_limit": "Eine Frage nach einer Datei hat keine Grenze für Wörter.",
  "problem.condition_circle": "Jene Frage hängt selbst von dieser ab.",
  "problem.long_chain":
    "Eine Kette von Fragen, die voneinander abhängen, hat höchstens {limit} Bedingungen.",
  "problem.condition_not_asked":
    "Diese Frage richtet sich an Leute, denen die Frage, von der sie abhängt, nicht gestellt wird.",
  "problem.question_depends":
    "Eine andere Frage hängt von dieser ab. Ändere zuerst deren Bedingung.",
  "problem.results_released":
    "Die Ergebnisse waren schon sichtbar. Deshalb kann dieser Zeitpunkt nicht mehr in die Zukunft verschoben werden.",
  "problem.committees_depend":
    "Eine Frage für einen dieser Bereiche hängt von einer anderen ab, die für andere Bereiche ist. Ändere zuerst ihre Bedingung.",

  // What applicants send.
  "problem.application_closed":
    "Du kannst dich hier gerade nicht bewerben und deine Bewerbung weder ändern noch zurückziehen.",
  "problem.unanswered": "Diese Frage braucht eine Antwort.",
  "problem.other_committee": "Diese Frage ist nur für andere Bereiche als den gewählten.",
  "problem.needs_text": "Bitte beantworte diese Frage mit einem Text.",
  "problem.needs_option": "Bitte wähle eine der Möglichkeiten.",
  "problem.needs_file": "Diese Frage braucht eine Datei.",
  "problem.takes_no_file": "Diese Frage nimmt keine Datei.",
  "problem.nothing_answered": "Bitte gib einen Text an oder wähle eine Möglichkeit.",
  "problem.applicant_erased":
    "Die Daten dieser Person wurden gelöscht. Was noch da ist, lässt sich nicht mehr ändern.",
  "problem.empty_review": "Bitte gib Punkte oder schreibe einen Kommentar.",

  // Interviews.
  "problem.has_tickets": "Es gibt schon Tickets. Nichts wurde geändert.",
  "problem.cancels_tickets": "Dafür gibt es Tickets. Sollen sie mit storniert werden?",
  "problem.not_date": "Hier gehört ein Datum hin, etwa 2026-12-24.",
  "problem.not_rule": "Diese Regel ist nicht verständlich.",
  "problem.not_in_rule": "Der erste Termin liegt auf keinem dieser Tage.",
  "problem.nothing_left": "Von der Reihe bleibt nichts übrig.",
  "problem.draw_too_late": "Die Auslosung muss mindestens eine Stunde vor dem Beginn liegen.",
  "problem.draw_in_the_past": "Die Auslosung muss in der Zukunft liegen.",
  "problem.tickets_not_started": "Es gibt noch keine Tickets.",
  "problem.tickets_closed":
    "Dafür ist es zu spät, oder mit diesem Ticket war schon jemand am Einlass.",
  "problem.sold_out": "Es gibt keine Tickets mehr.",
  "problem.too_many_tickets": "Eine Person bekommt höchstens {limit} Tickets.",
  "problem.members_only": "Diese Tickets sind nur für Mitglieder.",
  "problem.drawing": "Die Auslosung läuft gerade. Versuch es in einer Minute noch einmal.",
  "problem.too_many_orders":
    "Du hast heute für diese Veranstaltung sehr oft bestellt. Versuch es morgen wieder.",
  "problem.too_many_transfers": "Du kannst am Tag höchstens {limit} Tickets weitergeben.",
  "problem.transferred_often":
    "Dieses Ticket wurde schon {limit}-mal weitergegeben. Öfter geht es nicht.",
  "problem.unknown_receiver":
    "Wir kennen niemanden mit diesem Benutzernamen, dem du das Ticket geben könntest.",
  "problem.code_or_ticket": "Sende entweder einen Code oder ein Ticket.",
  "problem.scan_time": "Dieser Scan ist zu alt oder liegt in der Zukunft.",
  "problem.ticket_unusable": "Dieser Code gilt hier nicht.",
  "problem.slot_full": "Zu dieser Zeit sind alle Plätze vergeben.",
  "problem.slot_closed": "Es ist zu spät, dieses Gespräch zu ändern. Frag den Club.",
  "problem.interviewer_busy":
    "Jemand führt zu dieser Zeit schon ein anderes Gespräch. Wenn das so gemeint ist, setze das Häkchen bei „gleichzeitig“.",
  "problem.overlap": "Zu dieser Zeit gibt es ein anderes Gespräch.",
  "problem.decided": "Über diese Bewerbung ist entschieden.",
  "problem.nothing_booked": "Es ist kein Gespräch gebucht.",
  "problem.more_booked": "Mehr Personen haben diese Zeit gebucht.",
  "problem.booked_for_committee": "Jemand hat diese Zeit für ihren Bereich gebucht.",
  "problem.slot_booked": "Jemand hat diese Zeit gebucht.",
  "problem.no_slot_fits": "Kein Gespräch dieser Länge passt zwischen diese Zeiten.",

  // Mails and their texts.
  "problem.preview_changed":
    "Seit der Vorschau hat sich etwas geändert: Entscheidungen, Begründungen, Mailtexte, Adressen oder Empfänger. Nichts wurde gesendet. Bitte sieh dir eine neue Vorschau an.",
  "problem.undecided":
    "Über eine Person ist noch nicht entschieden.|Über {n} Personen ist noch nicht entschieden.",
  "problem.not_for_interviews": "Das gibt es für Einladungen zum Gespräch nicht.",
  "problem.needs_submissions": "Wähle aus, wer eingeladen wird.",
  "problem.large_preview":
    "Das sind zu viele Mails für eine Vorschau. Bitte wähle weniger Bewerbungen.",
  "problem.large_mail": "Eine der Mails wäre zu groß. Bitte kürze ihren Text oder die Begründung.",
  "problem.perhaps_sent":
    "Eine Mail wurde vielleicht gesendet. Die Liste der Bewerbungen zeigt, welche.|{n} Mails wurden vielleicht gesendet. Die Liste der Bewerbungen zeigt, welche.",
  "problem.not_queued":
    "Für eine Mail reichte die Zeit nicht. Bitte sende sie noch einmal.|Für {n} Mails reichte die Zeit nicht. Bitte sende sie noch einmal.",
  "problem.no_link":
    "Der Text der E-Mail hat keinen Link, deshalb kann niemand ein Gespräch wählen.",
  "problem.single_braces":
    "{value} würde so gemailt, wie es dasteht. Werte brauchen auf jeder Seite zwei Klammern.",
  "problem.lost_link": "Ein Link im Text der E-Mail hat keine oder keine vollständige Adresse.",
  "problem.no_reason":
    "Die Mail nennt die Begründung, aber eine Entscheidung hat keine.|Die Mail nennt die Begründung, aber {n} Entscheidungen haben keine.",
  "problem.changed_after_decision":
    "Die Antworten einer Bewerbung sind neuer als ihre Entscheidung. Bitte sieh sie dir noch einmal an.|Die Antworten von {n} Bewerbungen sind neuer als die Entscheidung. Bitte sieh sie dir noch einmal an.",
  "problem.announced_early":
    "Die Entscheidungen sind ab {until} sichtbar. Diese Mails würden sie früher verraten.",
  "problem.invalid_template":
    "Der Text dieser Mail stimmt nicht. Bitte sieh ihn dir im Formular an.",
  "problem.unknown_variable": "Die Mail kann „{value}“ nicht nennen. Sie kann nennen: {allowed}.",
  "problem.open_tag": "Nach {value} fehlt {allowed}.",
  "problem.unknown_command": "{value} gibt es hier nicht. Es gibt if, else und endif.",
  "problem.template_comment": "Kommentare sind hier nicht möglich.",
  "problem.unbalanced_if": "Zu jedem {% if %} gehört ein {% endif %} und höchstens ein {% else %}.",
  "problem.between_cells":
    "Eine Variable steht zwischen den Teilen einer Tabelle. Bitte setze sie in eine Zelle.",
  "problem.between_rows":
    "{value} steht dort, wo kein Text stehen kann, zum Beispiel zwischen den Zeilen einer Tabelle. Setze es in eine Zelle oder um die ganze Tabelle.",
  "problem.hidden_text":
    "{value} steht an einer Stelle, an der HTML keinen Text zeigt, etwa in einem Kommentar oder in einem Tag. Bitte setze es in den Text.",
};

#!/usr/bin/env bash
# A tour of the API with curl: one recruitment, one invitation, one club in the catalogue, one event.
#
#   cargo run -p local          in one terminal
#   bash docs/tour.sh           in another one; prints each request and its answer
#
# The address of another service can be given as the first argument. CI runs this script
# (`infra/scripts/tour`), so what you read here works.
set -euo pipefail
origin=${1:-http://127.0.0.1:8000}
api=$origin/api

# --- Five helpers -------------------------------------------------------------------------------

# A new access token of the local service. Arguments: the claims, as JSON.
token() {
  curl -s "$origin/local/token" -H 'Content-Type: application/json' -d "$1" |
    sed 's/.*"access_token":"\([^"]*\)".*/\1/'
}

# Sends a request and prints the answer. Arguments: token, method, path, and the body if any.
call() {
  local body=()
  [ $# -lt 4 ] || body=(-H 'Content-Type: application/json' -d "$4")
  echo "--- $2 $3 ${4:-}" >&2
  curl -s -X "$2" "$api$3" -H "Authorization: Bearer $1" "${body[@]}"
  echo
}

# The same, but the answer goes to the screen and only the `id` in it is returned.
create() { call "$1" POST "$2" "$3" | tee -a /dev/stderr | sed 's/^{"id":\([0-9]*\).*/\1/'; }

# Uses the invitation in the newest mail. Argument: the token of the person who accepts it.
# The link of the mail ends with the id of the invite and its secret token. It works once.
accept_invitation() {
  local link
  link=$(curl -s "$origin/local/mail.json" |
    sed 's#.*/invite/go-club/\([a-z0-9]*\)/\([A-Za-z0-9_-]*\).*#\1 \2#')
  call "$1" POST "/clubs/go-club/invites/${link% *}/accept/" "{\"token\":\"${link#* }\"}"
}

# Sends a file to the bucket. Arguments: the answer to its announcement, and the file.
send_file() {
  local fields=() field
  while read -r field; do fields+=(--form-string "$field"); done < <(
    grep -o '"fields":{[^}]*}' <<< "$1" | grep -o '"[^"{}]*":"[^"]*"' |
      sed 's/"\([^"]*\)":"\(.*\)"/\1=\2/'
  )
  curl -s "${fields[@]}" -F "file=@$2" "$(sed 's/.*"url":"\([^"]*\)".*/\1/' <<< "$1")"
}

ada=$(token '{"username":"ada","email":"ada@uni.example","name":"Ada Byron"}')
sue=$(token '{"username":"sue","email":"sue@uni.example","name":"Sue Storm"}')
ben=$(token '{"username":"ben","email":"ben@uni.example","name":"Ben Grimm"}')
admin=$(token '{"username":"root","groups":["clubs-admin"]}')

# --- Recruitment --------------------------------------------------------------------------------

# Ada creates a club, and owns it. She opens an application with one committee and one question.
call "$ada" POST /clubs/ '{"name":"Go Club","email":"go@clubs.example"}'
application=$(create "$ada" /clubs/go-club/applications/ '{
  "name": "Autumn",
  "is_active": true,
  "application_start_time": "2026-01-01T00:00:00Z",
  "application_end_time": "2099-01-01T00:00:00Z",
  "result_release_time": "2099-01-02T00:00:00Z",
  "committees": [{"name": "Teaching"}]
}')
form=/clubs/go-club/applications/$application
question=$(create "$ada" "$form/questions/" \
  '{"question_type":1,"prompt":"Why Go?","word_limit":50}')

# A second question takes a file. The API never sees its bytes: it signs a form for exactly these
# ones, and Sue sends them straight to the bucket.
cv_question=$(create "$ada" "$form/questions/" '{"question_type":5,"prompt":"Your games"}')
games=$(mktemp) && trap 'rm "$games"' EXIT
printf '%%PDF-1.7\nSue won three games.\n' > "$games"
announced=$(call "$sue" POST "$form/files/" "{
  \"question\": $cv_question,
  \"name\": \"Games.pdf\",
  \"type\": \"application/pdf\",
  \"size\": $(wc -c < "$games"),
  \"sha256\": \"$(shasum -a 256 "$games" | cut -d' ' -f1)\"
}" | tee -a /dev/stderr)
send_file "$announced" "$games"
file=$(sed 's/^{"id":\([0-9]*\).*/\1/' <<< "$announced")
call "$sue" GET "$form/files/$file/"

# Sue types, and each answer is saved. A second tab that knows nothing of it is told (412). Then she
# submits: the answer has a receipt, which anybody can verify.
save() { call "$sue" PATCH "$form/draft/" "{\"responses\":[{\"question\":$question,$1}]}"; }
save '"text":"Simple rules","version":0'
save '"text":"Something else","version":0'
call "$sue" GET "$form/draft/"
submission=$(create "$sue" "$form/submissions/" \
  "{\"responses\":[{\"question\":$question,\"text\":\"Simple rules, deep game.\"},
    {\"question\":$cv_question,\"file\":$file}]}")
call "$sue" GET /submissions/
receipt=$(call "$sue" GET "/submissions/$submission/receipt/")
curl -s --json "$receipt" "$api/receipts/verify/"
echo

# Only Sue and the officers get the file, by an address that is good for a minute.
address=$(curl -s "$api$form/submissions/$submission/files/$file/" -H 'Accept: application/json' \
  -H "Authorization: Bearer $ada" | sed 's/.*"url":"\([^"]*\)".*/\1/')
curl -s "$address"

# Ada offers three times for interviews and invites Sue, who books one and gets a calendar file.
call "$ada" POST "$form/slots/series/" '{
  "start_time": "2098-12-01T10:00:00Z",
  "end_time": "2098-12-01T11:00:00Z",
  "minutes": 20,
  "location": "Room 7"
}'
call "$ada" POST "$form/send_emails/" "{\"email_type\":{\"id\":\"interview\"},\"submissions\":[$submission]}"
call "$sue" GET "/submissions/$submission/slots/"
slot=$(call "$sue" GET "/submissions/$submission/slots/" | sed 's/[^0-9]*\([0-9]*\).*/\1/')
call "$sue" PUT "/submissions/$submission/interview/" "{\"slot\":$slot}"

# Ada reviews and accepts her (status 4). Sue never sees the review. Ada previews the mails, one for
# each person, and then sends them.
call "$ada" PUT "$form/submissions/$submission/reviews/mine/" '{"score":5,"comment":"Short, clear."}'
call "$ada" GET "$form/submissions/?reviewed=mine&ordering=-score"
call "$ada" PATCH "$form/submissions/$submission/" '{"status":4,"reason":"We liked your answer."}'
call "$ada" POST "$form/send_emails/" \
  '{"email_type":{"id":"acceptance"},"one_per_person":true,"dry_run":true}'
call "$ada" POST "$form/send_emails/" '{"email_type":{"id":"acceptance"},"one_per_person":true}'
curl -s "$origin/local/mail.json"
echo

# --- Members ------------------------------------------------------------------------------------

# Sue joins with the link of her mail. Ada makes her an officer (role 10), and Sue invites Ben.
accept_invitation "$sue"
call "$ada" PATCH /clubs/go-club/members/sue/ '{"role":10,"title":"Teacher"}'
call "$sue" POST /clubs/go-club/invites/ '{"email":"ben@uni.example"}'
sleep 1 # Mails are sent in the background.
accept_invitation "$ben"
call "$sue" GET /clubs/go-club/members/

# A link for the fair, with its QR code: the first hundred who open it join. And a roster that a
# spreadsheet saved: it says what would happen, and happens only without `dry_run`.
link=$(create "$sue" /clubs/go-club/joinlinks/ '{"note":"Fair","max_uses":100}')
code=$(call "$sue" GET "/clubs/go-club/joinlinks/$link/qr.svg")
echo "${code:0:200}"
curl -s "$api/clubs/go-club/members/import/?dry_run=true" -H "Authorization: Bearer $sue" \
  -H 'Content-Type: text/csv' --data-binary $'email;title\r\nkim@uni.example;Librarian\r\n'
echo

# --- A program ----------------------------------------------------------------------------------

# Ada makes a token for a nightly export: it may read the members of this club, and nothing else.
# The text of the token is in this answer only.
made=$(call "$ada" POST /settings/tokens/ \
  '{"name":"Nightly export","scopes":["members:read"],"club":"go-club"}' | tee -a /dev/stderr)
program=$(sed 's/.*"token":"\([^"]*\)".*/\1/' <<< "$made")
call "$program" GET /clubs/go-club/members/
call "$program" GET /clubs/go-club/applications/ # 403: another scope
call "$ada" DELETE "/settings/tokens/$(sed 's/^{"id":\([0-9]*\).*/\1/' <<< "$made")/"

# --- The catalogue ------------------------------------------------------------------------------

# An admin adds a tag, and the club uses it. Sue makes the club a favorite. Now everybody finds the
# club by its tag, and Sue sees her star.
tag=$(create "$admin" /tags/ '{"name":"Board games"}')
call "$ada" PATCH /clubs/go-club/ "{\"tags\":[$tag],\"subtitle\":\"Black and white\"}"
call "$sue" POST /favorites/ '{"club":"go-club"}'
call "$sue" GET '/clubs/?tags=board+games&search=white&ordering=-favorite_count'

# --- Events -------------------------------------------------------------------------------------

# An evening of the club. Only signed-in users see its place. Everybody finds it, in the list and
# in the calendar. (A flyer is a file: curl -F file=@flyer.jpg …/events/ID/upload/)
event=$(create "$sue" /clubs/go-club/events/ '{
  "name": "First lessons",
  "type": 5,
  "showings": [{
    "start_time": "2098-01-01T18:00:00Z",
    "end_time": "2098-01-01T20:00:00Z",
    "location": "Room 7"
  }]
}')
curl -s "$api/events/$event/"
echo
call "$sue" GET '/events/?search=lessons'
curl -s "$api/clubs/go-club/events.ics"

# --- Reminders and news -------------------------------------------------------------------------

# Sue wants weekly news of the clubs that she follows. Each such mail has a link that ends them.
call "$sue" PATCH /settings/ '{"notices":{"news":"weekly"}}'

# One recruitment through a generated Ruby client, against the local service:
#
# ruby -I clubs/lib story.rb http://127.0.0.1:8000

require "date"
require "json"
require "net/http"
require "tempfile"
require "clubs"

ORIGIN = URI(ARGV[0] || "http://127.0.0.1:8000")
RUN = (Time.now.to_f * 1000).to_i.to_s(36)
PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="

# A client for one person. The local service gives everybody a token.
def client_of(username)
  person = { username: username, name: "#{username} Größe", email: "#{username}@uni.example" }
  answer = Net::HTTP.post(ORIGIN + "/local/token", person.to_json, "Content-Type" => "application/json")
  Clubs::ApiClient.new(Clubs::Configuration.new do |config|
    config.scheme = ORIGIN.scheme
    config.host = "#{ORIGIN.host}:#{ORIGIN.port}"
    config.server_index = nil
    config.access_token = JSON.parse(answer.body)["access_token"]
  end)
end

def check(is_right, what)
  abort "#{what} is wrong" unless is_right
end

# Some days from now.
def day(days)
  # A time would be written without the form of RFC 3339.
  DateTime.now + days
end

# The text of the mail to an address. The worker sends it a moment after the answer.
def mail_to(address)
  100.times do
    mails = JSON.parse(Net::HTTP.get(ORIGIN + "/local/mail.json"))
    mail = mails.find { |one| one["to"] == address }
    return mail["text"] if mail
    sleep 0.1
  end
  abort "no mail came"
end

officer = client_of("rb-officer-#{RUN}")
applicant = client_of("rb-applicant-#{RUN}")
clubs = Clubs::ClubsApi.new(officer)

made = clubs.create_club(
  Clubs::ClubInput.new(name: "Müßige Ruby story #{RUN}"), idempotency_key: "club-#{RUN}"
)
club = made.code

application = Clubs::ApplicationsApi.new(officer).create_application(
  club,
  Clubs::ApplicationInput.new(
    name: "Herbst für alle",
    application_start_time: day(-1),
    application_end_time: day(5),
    result_release_time: day(9),
    is_active: true,
    committees: [Clubs::CommitteeInput.new(name: "Öffentlichkeit")]
  )
)
question = Clubs::QuestionsApi.new(officer).create_question(
  club, application.id,
  Clubs::QuestionInput.new(question_type: Clubs::QuestionType::FreeResponse, prompt: "Why?")
)

Tempfile.create(["logo", ".png"], binmode: true) do |file|
  file.write(PIXEL.unpack1("m"))
  file.rewind
  check(clubs.upload_club_logo(club, file).image_url, "the logo")
end

submission = Clubs::SubmissionsApi.new(applicant).submit(
  club, application.id,
  Clubs::NewSubmission.new(
    committee: application.committees[0].id,
    responses: [Clubs::NewResponse.new(question: question.id, text: "Because I like stories.")]
  )
)
check(submission.status == Clubs::Status::Pending, "the status")

submissions = Clubs::SubmissionsApi.new(officer)
found = submissions.list_submissions(club, application.id, status: Clubs::Status::Pending)
check(found[0].user.username == "rb-applicant-#{RUN}", "the list")

decision = Clubs::DecisionInputPatch.new(status: Clubs::Status::Accepted, reason: "A good story.")
decided = submissions.update_decision(club, application.id, submission.id, decision)
check(decided.status == Clubs::Status::Accepted, "the decision")

mails = Clubs::MailsApi.new(officer)
acceptance = Clubs::EmailType.new(id: Clubs::MailType::Acceptance)
preview = mails.send_emails(
  club, application.id, Clubs::SendInput.new(email_type: acceptance, dry_run: true)
)
sent = mails.send_emails(
  club, application.id, Clubs::SendInput.new(email_type: acceptance, digest: preview.digest)
)
check(sent.recipients == 1, "the number of mails")
check(mail_to("rb-applicant-#{RUN}@uni.example").include?("A good story."), "the mail")

csv = submissions.export_submissions(club, application.id)
check(csv.include?("Because I like stories."), "the export")

begin
  Clubs::SubmissionsApi.new(applicant).list_submissions(club, application.id)
  abort "an applicant sees all submissions"
rescue Clubs::ApiError => error
  check(JSON.parse(error.response_body)["code"] == "permission_denied", "the error")
end

puts "Ruby: the story of #{club} is complete"

import clubs.ApiClient;
import clubs.ApiException;
import clubs.api.ApplicationsApi;
import clubs.api.ClubsApi;
import clubs.api.MailsApi;
import clubs.api.QuestionsApi;
import clubs.api.SubmissionsApi;
import clubs.model.ApplicationInput;
import clubs.model.ClubInput;
import clubs.model.CommitteeInput;
import clubs.model.DecisionInputPatch;
import clubs.model.EmailType;
import clubs.model.MailType;
import clubs.model.NewResponse;
import clubs.model.NewSubmission;
import clubs.model.QuestionInput;
import clubs.model.QuestionType;
import clubs.model.Reference;
import clubs.model.SendInput;
import clubs.model.Status;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.File;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.time.OffsetDateTime;
import java.util.Base64;
import java.util.List;
import java.util.Map;

/** One recruitment through a generated Java client: java Story http://127.0.0.1:8000. */
public final class Story {
    private static final String PIXEL =
            "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final HttpClient HTTP = HttpClient.newHttpClient();

    private final String origin;
    private final String run = Long.toString(System.currentTimeMillis(), 36);

    private Story(String origin) {
        this.origin = origin;
    }

    public static void main(String[] arguments) throws Exception {
        new Story(arguments.length > 0 ? arguments[0] : "http://127.0.0.1:8000").tell();
    }

    /** A client for one person. The local service gives everybody a token. */
    private ApiClient clientOf(String username) throws Exception {
        Map<String, String> person = Map.of(
                "username", username, "name", username + " Größe", "email", username + "@uni.example");
        HttpRequest request = HttpRequest.newBuilder(URI.create(origin + "/local/token"))
                .header("Content-Type", "application/json")
                .POST(HttpRequest.BodyPublishers.ofByteArray(JSON.writeValueAsBytes(person)))
                .build();
        String token = JSON.readTree(HTTP.send(request, HttpResponse.BodyHandlers.ofString()).body())
                .get("access_token")
                .asText();
        ApiClient client = new ApiClient();
        // The document that the service gave out has its address.
        check(client.getBaseUri().equals(origin), "the address");
        client.setRequestInterceptor(call -> call.header("Authorization", "Bearer " + token));
        return client;
    }

    private static void check(boolean isRight, String what) {
        if (!isRight) {
            throw new IllegalStateException(what + " is wrong");
        }
    }

    /** The text of the mail to an address. The worker sends it a moment after the answer. */
    private String mailTo(String address) throws Exception {
        HttpRequest request = HttpRequest.newBuilder(URI.create(origin + "/local/mail.json")).build();
        for (int i = 0; i < 100; i++) {
            String mails = HTTP.send(request, HttpResponse.BodyHandlers.ofString()).body();
            for (JsonNode mail : JSON.readTree(mails)) {
                if (mail.get("to").asText().equals(address)) {
                    return mail.get("text").asText();
                }
            }
            Thread.sleep(100);
        }
        throw new IllegalStateException("no mail came");
    }

    private void tell() throws Exception {
        ApiClient officer = clientOf("java-officer-" + run);
        ApiClient applicant = clientOf("java-applicant-" + run);
        ClubsApi clubs = new ClubsApi(officer);
        String club = clubs.createClub(new ClubInput().name("Müßige Java story " + run), "club-" + run)
                .getCode();

        OffsetDateTime now = OffsetDateTime.now();
        var application = new ApplicationsApi(officer).createApplication(club, new ApplicationInput()
                .name("Herbst für alle")
                .applicationStartTime(now.minusDays(1))
                .applicationEndTime(now.plusDays(5))
                .resultReleaseTime(now.plusDays(9))
                .isActive(true)
                .committees(List.of(new CommitteeInput().name("Öffentlichkeit"))), null);
        Long form = application.getId();
        var question = new QuestionsApi(officer).createQuestion(club, form, new QuestionInput()
                .questionType(QuestionType.FreeResponse)
                .prompt("Why?"), null);

        File logo = File.createTempFile("logo", ".png");
        Files.write(logo.toPath(), Base64.getDecoder().decode(PIXEL));
        check(clubs.uploadClubLogo(club, logo, null, null).getImageUrl() != null, "the logo");
        check(logo.delete(), "the file");

        var submission = new SubmissionsApi(applicant).submit(club, form, new NewSubmission()
                .committee(new Reference(application.getCommittees().get(0).getId()))
                .responses(List.of(new NewResponse()
                        .question(new Reference(question.getId()))
                        .text("Because I like stories."))), null);
        check(submission.getStatus() == Status.Pending, "the status");

        SubmissionsApi submissions = new SubmissionsApi(officer);
        var found = submissions.listSubmissions(
                club, form, Status.Pending, null, null, null, null, null, null, null, null, null, null);
        check(found.get(0).getUser().getUsername().equals("java-applicant-" + run), "the list");

        var decided = submissions.updateDecision(club, form, submission.getId(), new DecisionInputPatch()
                .status(Status.Accepted)
                .reason("A good story."), null);
        check(decided.getStatus() == Status.Accepted, "the decision");

        MailsApi mails = new MailsApi(officer);
        EmailType acceptance = new EmailType().id(MailType.Acceptance);
        var preview = mails.sendEmails(
                club, form, new SendInput().emailType(acceptance).dryRun(true), null);
        var sent = mails.sendEmails(
                club, form, new SendInput().emailType(acceptance).digest(preview.getDigest()), null);
        check(sent.getRecipients() == 1, "the number of mails");
        check(mailTo("java-applicant-" + run + "@uni.example").contains("A good story."), "the mail");

        File csv = submissions.exportSubmissions(
                club, form, null, null, null, null, null, null, null, null, null, null, null);
        check(Files.readString(csv.toPath()).contains("Because I like stories."), "the export");

        try {
            new SubmissionsApi(applicant).listSubmissions(
                    club, form, null, null, null, null, null, null, null, null, null, null, null);
            throw new IllegalStateException("an applicant sees all submissions");
        } catch (ApiException error) {
            check(JSON.readTree(error.getResponseBody()).get("code").asText().equals("permission_denied"),
                    "the error");
        }
        System.out.println("Java: the story of " + club + " is complete");
    }
}

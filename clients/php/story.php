<?php
// One recruitment through a generated PHP client, against the local service:
//
// php story.php clubs/lib http://127.0.0.1:8000

declare(strict_types=1);

use Clubs\Api\ApplicationsApi;
use Clubs\Api\ClubsApi;
use Clubs\Api\MailsApi;
use Clubs\Api\QuestionsApi;
use Clubs\Api\SubmissionsApi;
use Clubs\ApiException;
use Clubs\Configuration;
use Clubs\Model\ApplicationInput;
use Clubs\Model\ClubInput;
use Clubs\Model\CommitteeInput;
use Clubs\Model\DecisionInputPatch;
use Clubs\Model\EmailType;
use Clubs\Model\MailType;
use Clubs\Model\NewResponse;
use Clubs\Model\NewSubmission;
use Clubs\Model\QuestionInput;
use Clubs\Model\QuestionType;
use Clubs\Model\SendInput;
use Clubs\Model\Status;
use GuzzleHttp\Client;

require 'GuzzleHttp/autoload.php';
$folder = $argv[1] ?? 'clubs/lib';
spl_autoload_register(function (string $name) use ($folder): void {
    $file = $folder . '/' . str_replace('\\', '/', substr($name, strlen('Clubs\\'))) . '.php';
    if (str_starts_with($name, 'Clubs\\') && is_file($file)) {
        require $file;
    }
});

$origin = $argv[2] ?? 'http://127.0.0.1:8000';
$run = base_convert((string) (int) (microtime(true) * 1000), 10, 36);
$pixel = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
$http = new Client();

// The configuration for one person. The local service gives everybody a token.
$of = function (string $username) use ($http, $origin): Configuration {
    $person = ['username' => $username, 'name' => "$username Größe", 'email' => "$username@uni.example"];
    $answer = json_decode((string) $http->post("$origin/local/token", ['json' => $person])->getBody());
    return (new Configuration())->setHost($origin)->setAccessToken($answer->access_token);
};
$check = function (bool $isRight, string $what): void {
    if (!$isRight) {
        fwrite(STDERR, "$what is wrong\n");
        exit(1);
    }
};
// Some days from now.
$day = fn (int $days): DateTime => new DateTime("$days days", new DateTimeZone('UTC'));
// The text of the mail to an address. The worker sends it a moment after the answer.
$mailTo = function (string $address) use ($http, $origin): string {
    for ($i = 0; $i < 100; $i++) {
        foreach (json_decode((string) $http->get("$origin/local/mail.json")->getBody()) as $mail) {
            if ($mail->to === $address) {
                return $mail->text;
            }
        }
        usleep(100_000);
    }
    return '';
};

$officer = $of("php-officer-$run");
$applicant = $of("php-applicant-$run");
$clubs = new ClubsApi($http, $officer);

$club = $clubs->createClub(new ClubInput(['name' => "Müßige PHP story $run"]), "club-$run")->getCode();

$application = (new ApplicationsApi($http, $officer))->createApplication($club, new ApplicationInput([
    'name' => 'Herbst für alle',
    'application_start_time' => $day(-1),
    'application_end_time' => $day(5),
    'result_release_time' => $day(9),
    'is_active' => true,
    'committees' => [new CommitteeInput(['name' => 'Öffentlichkeit'])],
]));
$form = $application->getId();
$question = (new QuestionsApi($http, $officer))->createQuestion($club, $form, new QuestionInput([
    'question_type' => QuestionType::FREE_RESPONSE,
    'prompt' => 'Why?',
]));

$logo = tempnam(sys_get_temp_dir(), 'logo');
file_put_contents($logo, base64_decode($pixel));
$check((bool) $clubs->uploadClubLogo($club, new SplFileObject($logo))->getImageUrl(), 'the logo');
unlink($logo);

$submission = (new SubmissionsApi($http, $applicant))->submit($club, $form, new NewSubmission([
    'committee' => $application->getCommittees()[0]->getId(),
    'responses' => [
        new NewResponse(['question' => $question->getId(), 'text' => 'Because I like stories.']),
    ],
]));
$check($submission->getStatus() == Status::PENDING, 'the status');

$submissions = new SubmissionsApi($http, $officer);
$found = $submissions->listSubmissions($club, $form, Status::PENDING);
$check($found[0]->getUser()->getUsername() === "php-applicant-$run", 'the list');

$decided = $submissions->updateDecision($club, $form, $submission->getId(), new DecisionInputPatch([
    'status' => Status::ACCEPTED,
    'reason' => 'A good story.',
]));
$check($decided->getStatus() == Status::ACCEPTED, 'the decision');

$mails = new MailsApi($http, $officer);
$acceptance = new EmailType(['id' => MailType::ACCEPTANCE]);
$preview = $mails->sendEmails($club, $form, new SendInput(['email_type' => $acceptance, 'dry_run' => true]));
$sent = $mails->sendEmails($club, $form, new SendInput([
    'email_type' => $acceptance,
    'digest' => $preview->getDigest(),
]));
$check($sent->getRecipients() === 1, 'the number of mails');
$check(str_contains($mailTo("php-applicant-$run@uni.example"), 'A good story.'), 'the mail');

$csv = $submissions->exportSubmissions($club, $form);
$check(str_contains($csv, 'Because I like stories.'), 'the export');

try {
    (new SubmissionsApi($http, $applicant))->listSubmissions($club, $form);
    $check(false, 'the right of an applicant');
} catch (ApiException $error) {
    $check($error->getResponseObject()->getCode() === 'permission_denied', 'the error');
}

echo "PHP: the story of $club is complete\n";

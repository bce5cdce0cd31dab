<?php
require getenv('PHPMAILER') . '/Exception.php';
require getenv('PHPMAILER') . '/SMTP.php';
require getenv('PHPMAILER') . '/PHPMailer.php';

function mailOf(int $number): PHPMailer\PHPMailer\PHPMailer
{
	$mail = new PHPMailer\PHPMailer\PHPMailer(true);
	$mail->isSMTP();
	$mail->Host = getenv('SMTP_HOST');
	$mail->Port = (int) getenv('SMTP_PORT');
	$mail->SMTPAutoTLS = false;
	$mail->setFrom(getenv('MAIL_FROM'));
	foreach (explode(',', getenv('MAIL_TO')) as $to) {
		$mail->addAddress($to);
	}
	$mail->Subject = "Mail $number";
	$mail->MessageID = "<$number@phpmailer.test>";
	$mail->Body = 'Hello.';
	return $mail;
}

for ($number = 1; $number <= (int) getenv('MAILS'); $number++) {
	while (true) {
		$mail = mailOf($number);
		try {
			$mail->send();
			break;
		} catch (PHPMailer\PHPMailer\Exception $error) {
			// Permanent errors are not retried.
			if ((int) ($mail->getSMTPInstance()->getError()['smtp_code'] ?? 0) >= 500) {
				throw $error;
			}
			usleep((int) getenv('RETRY_MS') * 1000);
		}
	}
}

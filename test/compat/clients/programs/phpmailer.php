<?php
require getenv('PHPMAILER') . '/Exception.php';
require getenv('PHPMAILER') . '/SMTP.php';
require getenv('PHPMAILER') . '/PHPMailer.php';

$mail = new PHPMailer\PHPMailer\PHPMailer(true);
$mail->isSMTP();
$mail->Host = getenv('SMTP_HOST');
$mail->Port = (int) getenv('SMTP_PORT');
$mail->SMTPSecure = getenv('IMPLICIT') === '1' ? 'ssl' : 'tls';
if (getenv('UNVERIFIED') === '1') {
	$mail->SMTPOptions = ['ssl' => [
		'verify_peer' => false,
		'verify_peer_name' => false,
		'allow_self_signed' => true,
		'min_proto_version' => STREAM_CRYPTO_PROTO_TLSv1_0,
		'ciphers' => 'DEFAULT@SECLEVEL=0',
		'security_level' => 0,
	]];
}

$mail->setFrom(getenv('MAIL_FROM'));
$mail->addAddress(getenv('MAIL_TO'));
$mail->Subject = 'Hello';
$mail->Body = 'Hello.';
$mail->send();

import os
import smtplib
import time
from email.message import EmailMessage

env = os.environ


def send(message):
    with smtplib.SMTP(env["SMTP_HOST"], int(env["SMTP_PORT"])) as smtp:
        smtp.send_message(message)


def is_final(error):
    if isinstance(error, smtplib.SMTPRecipientsRefused):
        return any(code >= 500 for code, _ in error.recipients.values())
    return isinstance(error, smtplib.SMTPResponseException) and error.smtp_code >= 500


for number in range(1, int(env["MAILS"]) + 1):
    message = EmailMessage()
    message["From"], message["To"], message["Subject"] = env["MAIL_FROM"], env["MAIL_TO"], f"Mail {number}"
    message["Message-ID"] = f"<{number}@smtplib.test>"
    message.set_content("Hello.")
    while True:
        try:
            send(message)
            break
        except (smtplib.SMTPException, OSError) as error:
            # Permanent errors are not retried.
            if is_final(error):
                raise
            time.sleep(int(env["RETRY_MS"]) / 1000)

import os
import ssl

from django.conf import settings
from django.core.mail import send_mail
from django.core.mail.backends import smtp

implicit = os.environ.get("IMPLICIT") == "1"


class Unverified(smtp.EmailBackend):
    """A backend that disables certificate verification, as found in many projects."""

    @property
    def ssl_context(self):
        context = ssl._create_unverified_context()
        context.minimum_version = ssl.TLSVersion.TLSv1
        context.set_ciphers("DEFAULT@SECLEVEL=0")
        return context


settings.configure(
    EMAIL_BACKEND="__main__.Unverified"
    if os.environ.get("UNVERIFIED") == "1"
    else "django.core.mail.backends.smtp.EmailBackend",
    EMAIL_HOST=os.environ["SMTP_HOST"],
    EMAIL_PORT=int(os.environ["SMTP_PORT"]),
    EMAIL_USE_SSL=implicit,
    EMAIL_USE_TLS=not implicit,
)
send_mail("Hello", "Hello.", os.environ["MAIL_FROM"], [os.environ["MAIL_TO"]])

from given import send_all
from sendgrid import SendGridAPIClient
from sendgrid.helpers.mail import (
    Attachment,
    Bcc,
    Category,
    Cc,
    ContentId,
    CustomArg,
    Disposition,
    FileContent,
    FileName,
    FileType,
    From,
    Header,
    Mail,
    ReplyTo,
    To,
)


def start(url, key):
    client = SendGridAPIClient(key, host=url)
    return lambda mail: client.send(built(mail))


def built(mail):
    data = Mail(of(From, mail.sender), [of(To, person) for person in mail.to], mail.subject)
    if mail.cc:
        data.cc = [of(Cc, person) for person in mail.cc]
    if mail.bcc:
        data.bcc = [Bcc(address) for address in mail.bcc]
    if mail.replyTo:
        data.reply_to_list = [of(ReplyTo, person) for person in mail.replyTo]
    if mail.template:
        data.template_id = mail.template["id"]
        data.dynamic_template_data = mail.template["data"]
    if mail.text is not None:
        data.add_content(mail.text, "text/plain")
    if mail.html is not None:
        data.add_content(mail.html, "text/html")
    for name, value in mail.headers.items():
        data.add_header(Header(name, value))
    for tag in reversed(mail.tags):
        data.add_category(Category(tag["value"]))
    for name, value in mail.metadata.items():
        data.add_custom_arg(CustomArg(name, value))
    # The SDK prepends each one.
    for file in reversed(mail.files):
        inline = file["contentId"]
        data.add_attachment(
            Attachment(
                FileContent(file["content"]),
                FileName(file["filename"]),
                FileType(file["contentType"]),
                Disposition("inline" if inline else "attachment"),
                ContentId(inline) if inline else None,
            )
        )
    return data


def of(kind, person):
    return kind(person["address"], person["name"] or None)


send_all(start)

from given import mailbox, mailboxes, send_all
from postmarker.core import PostmarkClient


def start(url, key):
    client = PostmarkClient(server_token=key, root_api_url=url)
    return lambda mail: send(client, mail)


def send(client, mail):
    head = {
        "From": mailbox(mail.sender),
        "To": mailboxes(mail.to),
        "Cc": mailboxes(mail.cc),
        "Bcc": mail.bcc,
        "ReplyTo": ", ".join(mailboxes(mail.replyTo)),
        "Tag": mail.tags[0]["value"] if mail.tags else None,
        "Metadata": mail.metadata,
        "Headers": mail.headers,
        "Attachments": [attachment(file) for file in mail.files],
    }
    if mail.template:
        model = mail.template["data"]
        client.emails.send_with_template(TemplateAlias=mail.template["id"], TemplateModel=model, **head)
    else:
        client.emails.send(Subject=mail.subject, TextBody=mail.text, HtmlBody=mail.html, **head)


def attachment(file):
    inline = (f"cid:{file['contentId']}",) if file["contentId"] else ()
    return (file["filename"], file["content"], file["contentType"], *inline)


send_all(start)

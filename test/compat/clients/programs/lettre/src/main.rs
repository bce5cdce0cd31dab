use lettre::transport::smtp::client::{Tls, TlsParameters, TlsVersion};
use lettre::{Message, SmtpTransport, Transport};
use std::env::var;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let host = var("SMTP_HOST")?;
    let mut parameters = TlsParameters::builder(host.clone());
    if var("UNVERIFIED").as_deref() == Ok("1") {
        parameters = parameters
            .dangerous_accept_invalid_certs(true)
            .dangerous_accept_invalid_hostnames(true)
            .set_min_tls_version(TlsVersion::Tlsv10);
    }
    let parameters = parameters.build()?;
    let tls = match var("IMPLICIT").as_deref() {
        Ok("1") => Tls::Wrapper(parameters),
        _ => Tls::Required(parameters),
    };
    let message = Message::builder()
        .from(var("MAIL_FROM")?.parse()?)
        .to(var("MAIL_TO")?.parse()?)
        .subject("Hello")
        .body(String::from("Hello."))?;
    SmtpTransport::builder_dangerous(&host)
        .port(var("SMTP_PORT")?.parse()?)
        .tls(tls)
        .build()
        .send(&message)?;
    Ok(())
}

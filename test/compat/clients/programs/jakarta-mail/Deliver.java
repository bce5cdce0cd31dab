import jakarta.mail.Message;
import jakarta.mail.Session;
import jakarta.mail.Transport;
import jakarta.mail.internet.InternetAddress;
import jakarta.mail.internet.MimeMessage;
import java.util.Properties;

public class Deliver {
	public static void main(String[] args) throws Exception {
		boolean implicit = "1".equals(System.getenv("IMPLICIT"));
		Properties properties = new Properties();
		properties.put("mail.smtp.host", System.getenv("SMTP_HOST"));
		properties.put("mail.smtp.port", System.getenv("SMTP_PORT"));
		properties.put("mail.smtp.ssl.enable", String.valueOf(implicit));
		properties.put("mail.smtp.starttls.enable", String.valueOf(!implicit));
		properties.put("mail.smtp.starttls.required", String.valueOf(!implicit));
		if ("1".equals(System.getenv("UNVERIFIED"))) {
			java.security.Security.setProperty("jdk.tls.disabledAlgorithms", "");
			properties.put("mail.smtp.ssl.trust", "*");
			properties.put("mail.smtp.ssl.checkserveridentity", "false");
			properties.put("mail.smtp.ssl.protocols", "TLSv1 TLSv1.1 TLSv1.2 TLSv1.3");
		}
		MimeMessage message = new MimeMessage(Session.getInstance(properties));
		message.setFrom(new InternetAddress(System.getenv("MAIL_FROM")));
		message.setRecipient(Message.RecipientType.TO, new InternetAddress(System.getenv("MAIL_TO")));
		message.setSubject("Hello");
		message.setText("Hello.");
		Transport.send(message);
	}
}

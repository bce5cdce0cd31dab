import type {Command} from 'commander';
import type {Context} from '../context.js';
import {addExamples, addHelpNote} from '../options.js';

export function fillSendmail(command: Command, context: Context): void {
	// Arguments after the command are parsed by sendmail's rules, not by commander's.
	command.parent?.enablePositionalOptions();
	addHelpNote(
		command,
		`Sends the mail on stdin, for programs that call sendmail. Accepts all flags of Sendmail, Postfix, Exim and msmtp. These have an effect:

  -t                read recipients from To, Cc and Bcc
  -i, -oi           do not end the mail at a line with a single dot
  -f, -r <address>  envelope sender (default: <user>@<host name>)
  -F <name>         sender name, if the mail has no From header
  -N, -R, -V <…>    delivery status notifications (RFC 3461)
  -bs               speak SMTP on stdin and stdout

Bcc is removed; missing From, Date and Message-ID headers are added. A recipient without "@" is looked up as an inbox name, else it is <name>@<host name>. If TINBOX_INBOX is set to the address, id or name of an inbox, all mail is delivered to that inbox.

Exit codes (same as sendmail):
  0   sent
  64  wrong usage
  65  no recipient, or an invalid recipient address
  67  unknown recipient
  69  mail rejected
  75  temporary failure; try again later
  77  access denied
  78  invalid TINBOX_INBOX or setting`,
	);
	addExamples(
		command,
		"php -d sendmail_path='tinbox sendmail -t -i' app.php",
		"TINBOX_INBOX=patches git send-email --sendmail-cmd='tinbox sendmail' HEAD~1",
		'printf "Subject: Done\\n\\nOK\\n" | tinbox sendmail -f cron@example.com signup',
		'ln -s "$(command -v tinbox)" /usr/local/bin/sendmail',
	)
		.usage('[flags of sendmail] [recipients...]')
		.helpOption('--help', 'display help for command')
		.allowUnknownOption()
		.passThroughOptions()
		.argument('[arguments...]', 'sendmail flags and recipients')
		.action(async (args: readonly string[]) => {
			const {runSendmail} = await import('./run-sendmail.js');
			await runSendmail(args, context);
		});
}

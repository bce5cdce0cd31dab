import type {Command} from 'commander';
import type {Context} from '../../context.js';
import {addExamples} from '../../options.js';

export function fillSendmail(command: Command, context: Context): void {
	// All that follows is read as sendmail reads it.
	command.parent?.enablePositionalOptions();
	addExamples(
		command,
		"php -d sendmail_path='tinbox sendmail -t -i' app.php",
		"TINBOX_INBOX=patches git send-email --sendmail-cmd='tinbox sendmail' --to list@example.com HEAD~1",
		'printf "Subject: Done\\n\\nIt is.\\n" | tinbox sendmail -f cron@example.com signup',
		'ln -s "$(command -v tinbox)" /usr/local/bin/sendmail',
	)
		.usage('[flags of sendmail] [recipients...]')
		.helpOption('--help', 'explain this command')
		.allowUnknownOption()
		.passThroughOptions()
		.argument('[arguments...]', 'flags and recipients, as for sendmail')
		.addHelpText(
			'after',
			`
Sends the mail on stdin, for programs that send by calling sendmail. Every flag of Sendmail, Postfix, Exim and msmtp is taken:

  -t                 also send to whom To, Cc and Bcc name
  -i, -oi            a line with nothing but a dot does not end the mail
  -f, -r <address>   the sender of the envelope (default: the user at this host)
  -F <name>          the name beside it, where the mail has no From
  -N, -R, -V <…>     what is to be told of the delivery (NOTIFY, RET and ENVID of RFC 3461)
  -bs                speak SMTP on stdin and stdout

The others change nothing. Bcc is taken out, and From, Date and Message-ID are added where they are missing. A recipient without an @ is
the name of an inbox, or a user at this host. With TINBOX_INBOX, the address, id or name of an inbox, all mail goes into that one,
whoever it is for.

Exit codes are those of sendmail: 0 sent, 64 wrong usage, 65 no recipient in the mail or one that is no address, 67 nobody takes it for a recipient, 69 refused,
75 try again later, 77 not allowed, 78 TINBOX_INBOX or a setting is wrong.`,
		)
		.action(async (args: readonly string[]) => {
			const {runSendmail} = await import('./run-sendmail.js');
			await runSendmail(args, context);
		});
}

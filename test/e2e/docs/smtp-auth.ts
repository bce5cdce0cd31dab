import {expect} from 'vitest';
import type {Stories} from './world.js';

const daemon = 'eval "$(tinbox daemon start --format env)"';

/** Sends a mail with curl and prints the SMTP dialog. */
const connect = (flags = '') =>
	`curl -skv ${flags} "smtp://$SMTP_HOST:$SMTP_PORT" --mail-from shop@example.com --mail-rcpt "$addr" --upload-file mail.eml 2>&1 || true`;

export const stories: Stories = {
	'SMTP logins: sh': {
		async run(code, {sh}) {
			const printed = await sh(`${code}\necho "$SMTP_URL $MAILER_DSN"\ntinbox inbox credentials shop --json`);
			expect(printed).toContain('Test message');
			const {username, password, host, port} = JSON.parse(printed.slice(printed.indexOf('{')));
			const url = `smtp://${username}:${password}@${host}:${port}`;
			expect(printed).toContain(`${url} ${url}\n`);
		},
	},
	'Deliver by recipient instead: sh': {
		async run(code, {sh}) {
			const [create = '', update = ''] = code.trim().split('\n');
			const printed = await sh(`
				${create}
				eval "$(tinbox inbox credentials shop --format env)"
				other=$(tinbox inbox create)
				tinbox send "$other" --user "$SMTP_USER:$SMTP_PASSWORD"
				tinbox messages wait "$other"
				${update}
				tinbox send "$other" --user "$SMTP_USER:$SMTP_PASSWORD" --subject 'By login'
				tinbox messages wait shop --subject 'By login'`);
			expect(printed).toMatch(/Test message.*By login/s);
		},
	},
	'Who may send: sh': {
		needs: ['curl'],
		async run(code, {sh, files}) {
			await files({'mail.eml': 'Subject: Hello\n\nHello.\n'});
			const printed = await sh(`${code}\n${daemon}\naddr=$(tinbox inbox create)\n${connect()}
				eval "$(tinbox inbox create --name shop --format env)"
				${connect('--user "$SMTP_USER:$SMTP_PASSWORD"')}
				tinbox messages wait shop`);
			expect(printed).toMatch(/< 530 5\.7\.0 .*\tHello\t/s);
		},
	},
	'Require TLS for logins: sh': {
		needs: ['curl'],
		async run(code, {sh, files}) {
			await files({'mail.eml': 'Subject: Hello\n\nHello.\n'});
			const before = `${code}\n${daemon}\naddr=$(tinbox inbox create)`;
			expect(await sh(`${before}\n${connect()}`)).not.toContain('AUTH PLAIN');
			expect(await sh(`${before}\n${connect('--ssl-reqd')}`)).toContain('AUTH PLAIN');
		},
	},
};

import {expect} from 'vitest';
import {startReceiver} from '../../helpers/webhook-receiver.js';
import {mailText, type Stories, type Story, type World} from './world.js';

const mail = `{from: 'shop@example.com', to: process.env.TINBOX_ADDRESS, subject: 'Code', text: '${mailText}'}`;

const readCode = 'tinbox messages wait "$TINBOX_ADDRESS" --field code';

const resendApp = `
import {Resend} from 'resend';
const {error} = await new Resend(process.env.RESEND_API_KEY).emails.send(${mail});
process.exitCode = error ? 1 : 0;`;

/** Starts the daemon and exports the variables of the new inbox `signup`. */
const signup = `
eval "$(tinbox daemon start --format env)"
addr=$(tinbox inbox create --name signup)
eval "$(tinbox inbox credentials signup --format env)"
`;

/** Shell function that sends a mail through the API of Resend, with optional fields, and prints the status. */
const sendByResend = `
send_by_resend() {
	curl -s -o /dev/null -w '%{http_code}\\n' "$RESEND_BASE_URL/emails" -H "Authorization: Bearer $RESEND_API_KEY" \\
		-H 'Content-Type: application/json' -d '{"from": "'"$1"'", "to": "ann@example.org", "subject": "Hello", "text": "Hello."'"$2"'}'
}
`;

/** A story that sends a mail with the SDK client that the block creates. */
function sdkStory(provider: string, packages: readonly string[], key: string, send: string): Story {
	return {
		async run(code, world: World) {
			await world.packages(...packages);
			await world.files({'app.mjs': `${code}\n${send}`});
			const printed = await world.sh(`tinbox run --send ${provider} -- sh -c 'node app.mjs && ${readCode}'`, {
				[key]: 'SG.any-key',
			});
			expect(printed).toMatch(/^493028$/m);
		},
	};
}

export const stories: Stories = {
	'Sending APIs: sh': {
		async run(code, {sh, packages, files}) {
			await packages('resend');
			await files({
				'app.mjs': resendApp,
				'package.json': JSON.stringify({name: 'shop', scripts: {test: `node app.mjs && ${readCode}`}}),
			});
			const url = await sh('eval "$(tinbox daemon start --format env)"; echo "$TINBOX_URL"');
			const here = code.replace('http://127.0.0.1:8025', new URL(url).origin);
			const script = `TINBOX_ADDRESS=$(tinbox inbox create)\nexport TINBOX_ADDRESS\n${here}\nnpm test`;
			const printed = await sh(script, {RESEND_API_KEY: 're_any'});
			expect(printed.match(/^493028$/gm)).toHaveLength(2);
		},
	},
	'SendGrid: js': sdkStory(
		'sendgrid',
		['@sendgrid/client', '@sendgrid/mail'],
		'SENDGRID_API_KEY',
		`await mail.send(${mail});`,
	),
	'Postmark: js': sdkStory(
		'postmark',
		['postmark'],
		'POSTMARK_SERVER_TOKEN',
		`await client.sendEmail({From: 'shop@example.com', To: process.env.TINBOX_ADDRESS, Subject: 'Code', TextBody: '${mailText}'});`,
	),
	'Mailgun: js': sdkStory(
		'mailgun',
		['mailgun.js'],
		'MAILGUN_API_KEY',
		`await client.messages.create('example.com', ${mail});`,
	),
	'Any other language: sh': {
		needs: ['curl'],
		async run(code, {sh}) {
			const printed = await sh(`${code}\ntinbox messages list shop --json=subject,to`);
			expect(printed).toContain('[{"to":"ann@example.com","subject":"Hello"}]');
		},
	},
	'Verified domains: sh': {
		needs: ['curl'],
		async run(code, {sh}) {
			const printed = await sh(`${code}\n${signup}\n${sendByResend}
				send_by_resend app@shop.example; send_by_resend app@other.example`);
			expect(printed).toMatch(/^200\n403$/m);
		},
	},
	'Templates: sh': {
		needs: ['curl'],
		async run(code, {sh, files}) {
			await files({'welcome.html': `<p>${mailText}</p>`, 'welcome-resend.html': '<p>Hello {{{NAME}}}</p>'});
			const body = {
				from: {email: 'shop@example.com'},
				personalizations: [{to: [{email: 'ann@example.org'}], dynamic_template_data: {name: 'Ann'}}],
				template_id: 'd-4f2a',
			};
			const printed = await sh(`${signup}\n${code}
				curl -sf "$TINBOX_SENDGRID_URL/v3/mail/send" -H "Authorization: Bearer $TINBOX_SEND_KEY" \\
					-H 'Content-Type: application/json' -d '${JSON.stringify(body)}'
				tinbox messages wait signup --subject 'Hello Ann' --field code
				curl -sf "$RESEND_BASE_URL/emails" -H "Authorization: Bearer $RESEND_API_KEY" -H 'Content-Type: application/json' \\
					-d '{"from": "shop@example.com", "to": "ann@example.org", "subject": "Hi", "template": {"id": "welcome"}}'
				tinbox messages wait signup --subject Hi --field html`);
			expect(printed).toMatch(/^493028$/m);
			expect(printed).toContain('<p>Hello there</p>');
		},
	},
	'Inspect the request: sh': {
		needs: ['curl'],
		async run(code, {sh}) {
			const printed = await sh(`${signup}\n${sendByResend}
				send_by_resend app@shop.example ', "scheduled_at": "in 1 hour", "tags": [{"name": "kind", "value": "welcome"}]'
				${code}`);
			const {warnings, session} = JSON.parse(printed.slice(printed.indexOf('{')));
			expect(warnings).toEqual([expect.stringContaining('"scheduled_at"')]);
			expect(session.request).toMatchObject({
				provider: 'resend',
				id: expect.any(String),
				tags: [{name: 'kind', value: 'welcome'}],
				metadata: {},
				template: null,
			});
		},
	},
	'Test failures: sh': {
		needs: ['curl'],
		async run(code, {sh}) {
			const printed = await sh(`${signup}\n${sendByResend}\n${code}
				send_by_resend app@shop.example; send_by_resend app@shop.example`);
			expect(printed).toMatch(/^429\n200$/m);
		},
	},
	'Send events back to your app: sh': {
		needs: ['curl'],
		async run(code, {sh}) {
			const receiver = await startReceiver(204);
			const here = code.replace('http://localhost:3000/hooks/resend', receiver.url);
			await sh(`${signup}\n${sendByResend}
				send_by_resend app@shop.example
				${here}
				send_by_resend app@shop.example`);
			await expect.poll(() => receiver.requests.length, {timeout: 30_000}).toBe(3);
			const types = receiver.requests.map(({body}) => JSON.parse(body).type);
			expect(types.sort()).toEqual(['email.bounced', 'email.complained', 'email.delivered']);
		},
	},
};

import {expect} from 'vitest';
import {mailText, type Stories, type Story, serveApp} from './world.js';

const retrying: Story = {
	needs: ['curl'],
	async run(code, world) {
		const send = `tinbox send "$email" --subject 'Confirm it' --text '${mailText}'`;
		const sent: Array<Promise<string>> = [];
		await serveApp(world, async email => {
			// The app retries until its mail is accepted.
			sent.push(world.sh(`until ${send}; do tinbox faults wait "$email" greylist; done`, {email}));
			return 202;
		});
		const printed = await world.sh(code);
		expect(printed).toContain('answered 451 4.7.1 Greylisted, try again later');
		expect(printed).toContain('Confirm it');
		await Promise.all(sent);
	},
};

const timedOut: Story = {
	async run(code, {sh}) {
		const printed = await sh(`
			addr=$(tinbox inbox create --fault mailbox-full)
			tinbox send "$addr" --from shop@example.com 2> /dev/null || true
			tinbox faults wait "$addr" mailbox-full --count 2 --timeout 1s 2>&1 || echo "$addr"`);
		const [, address = ''] = /(\S+)$/.exec(printed) ?? [];
		const expected = code.replaceAll('k3v9@tinbox.test', address).replace('60s', '1s');
		expect(printed.replace(/\d\d:\d\d:\d\d/, '12:00:03').replace(/\(\S+\)/, '(app)')).toContain(expected);
	},
};

const custom: Story = {
	async run(code, {sh}) {
		const printed = await sh(`addr=$(tinbox inbox create)\n${code}`);
		expect(printed).toMatch(/^drop-after-commit\tend\tkept, then dropped without a reply; once\t0\t0\t/m);
		expect(printed).toMatch(
			/^\tend\t451 4\.3\.0 Try again later; once per message; if subject matches "\/\^Order\/"\t0\t0\t/m,
		);
	},
};

const signUp = `
import nodemailer from 'nodemailer';
export async function signUp(to) {
	const {SMTP_HOST: host, SMTP_PORT: port} = process.env;
	const mailer = nodemailer.createTransport({host, port, ignoreTLS: true});
	const send = async () => mailer.sendMail({from: 'shop@example.com', to, subject: 'Confirm it', text: '${mailText}'});
	await send().catch(send).catch(send);
}`;

export const stories: Stories = {
	'Faults: sh': retrying,
	'Choose what a fault applies to: sh': {
		async run(code, {sh, files}) {
			await files({
				'package.json': JSON.stringify({scripts: {test: '! tinbox send "$TINBOX_ADDRESS" 2> log; cat log'}}),
			});
			expect(await sh(code)).toContain('452 4.2.2 Mailbox full');
		},
	},
	'Custom faults: sh': custom,
	'Wait until a fault has acted: sh': {
		async run(code, {sh}) {
			const printed = await sh(`
				addr=$(tinbox inbox create)
				tinbox faults add "$addr" greylist --times 2
				tinbox send "$addr" 2> /dev/null || tinbox send "$addr" --from again@shop.example 2> /dev/null || true
				${code}`);
			expect(printed.match(/451 4\.7\.1 Greylisted, try again later/g)).toHaveLength(3);
		},
	},
	'Wait until a fault has acted: output': timedOut,
	'Wait until a fault has acted: js': {
		async run(code, {sh, files, packages}) {
			await packages('nodemailer');
			await files({'package.json': '{"type": "module"}', 'sign-up.js': signUp, 'test.js': code});
			await sh('tinbox run -- node test.js');
			await files({'sign-up.js': signUp.replace('.catch(send).catch(send)', '.catch(() => {})')});
			const failed = 'tinbox run -- node test.js 2>&1 || true';
			expect(await sh(failed)).toContain('TimeoutError');
		},
	},
};

import {expect} from 'vitest';
import type {Stories} from './world.js';

const twoMails = `
addr=$(tinbox inbox create --name signup)
tinbox send "$addr" --subject Welcome
tinbox send "$addr" --subject 'Invoice 17'
`;

/** Stories of `docs/mail-files.md`. */
export const stories: Stories = {
	'Export: sh': {
		async run(code, {sh}) {
			const shown = 'cat mails/* | grep -c ^Subject; grep ^Subject invoices.mbox; ls Maildir/new | wc -l';
			const printed = await sh(`${twoMails}\n${code}\n${shown}`);
			expect(printed).toMatch(/^2\nSubject: Invoice 17\r\n2$/m);
		},
	},
	'Import: sh': {
		async run(code, {sh}) {
			const files = `
				tinbox messages export signup --output mails
				tinbox messages export signup --format mbox > invoices.mbox
				tinbox messages export signup --format maildir --output Maildir`;
			await sh(`${twoMails}\n${files}`);
			const [dryRun = '', run = ''] = code.trim().split('\n');
			const countAfter = async (line: string) =>
				JSON.parse(await sh(`{ ${line}\n} > /dev/null\ntinbox messages list signup --json=subject`)).length;
			expect(await countAfter(dryRun)).toBe(2);
			expect(await countAfter(run)).toBe(8);
		},
	},
	'Sendmail: ini': {
		async run(code, {sh}) {
			const [, command = ''] = /^sendmail_path = "(.*)"$/m.exec(code) ?? [];
			const mail = 'To: ann@example.com\\nSubject: Your order\\n\\nHello\\n';
			const send = `printf '${mail}' | TINBOX_INBOX=shop ${command}`;
			const printed = await sh(`tinbox inbox create --name shop\n${send}\ntinbox messages list shop --json=subject`);
			expect(printed).toContain('[{"subject":"Your order"}]');
		},
	},
	'Sendmail: sh': {
		async run(code, {sh}) {
			const create = 'tinbox inbox create --name list --address list@tinbox.test';
			const list = 'tinbox messages list list --json=subject,envelope';
			const [message] = JSON.parse((await sh(`${create} > created\n${code}\n${list}`)).trim());
			expect(message).toEqual({
				subject: 'Backup done',
				envelope: {from: 'cron@example.com', to: ['list@tinbox.test']},
			});
		},
	},
};

import path from 'node:path';
import {expect} from 'vitest';
import {mailText, type Stories} from './world.js';

const useHelper = `
import assert from 'node:assert';
import {newestMailTo} from './mail.js';
const {subject, codes} = await newestMailTo('ann@shop.example');
assert.equal(subject, 'For Ann');
console.log(codes[0]);`;

const suite = `
tinbox send joann@shop.example --subject 'For Joann'
node use.js &
tinbox send ann@shop.example --subject 'For Ann' --text '${mailText}'
tinbox send ann@shop.example.org --subject 'For another Ann'
wait $!`;

export const stories: Stories = {
	'Moving from Mailpit, MailHog, MailDev or Mailosaur: sh': {
		async run(code, {packages, files, sh, folder}) {
			await packages();
			await files({browser: `#!/bin/sh\necho "$1" > page\n`});
			await sh(`chmod +x browser\n${code}\nuntil [ -s page ]; do sleep 0.1; done`, {
				BROWSER: path.join(folder, 'browser'),
			});
			await sh("tinbox send anyone@anywhere.example --subject 'For anyone'");
			expect(await sh('tinbox messages list catch-all')).toContain('\tFor anyone\t');
		},
	},
	'Keep your tests, replace the helper: js': {
		async run(code, {packages, files, sh}) {
			await packages();
			await files({'mail.js': code, 'use.js': useHelper, 'package.json': '{"type": "module"}', 'suite.sh': suite});
			expect(await sh('tinbox run --catch-all -- sh -e suite.sh')).toContain('493028');
		},
	},
};

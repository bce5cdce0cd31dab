import {expect} from 'vitest';
import {mailText, type Stories} from './world.js';

const confirmation = `<p>Your verification code is 482193.</p>
<a href="https://shop.example/confirm?token=kX93">Confirm your address</a> <a href="https://shop.example/help">Help</a>`;

const wiki = `Confirm your address: https://wiki.example/confirm/Special:ConfirmEmail/6a4e31da

Not you? Cancel the confirmation: https://wiki.example/Special:InvalidateEmail/6a4e31da`;

/** Stories of `docs/codes-and-links.md`. */
export const stories: Stories = {
	'Codes and links: sh': {
		async run(code, {sh}) {
			const printed = await sh(`
				addr=$(tinbox inbox create)
				tinbox send "$addr" --text 'Reset it at https://shop.example/reset/abc'
				tinbox send "$addr" --text '${mailText} Or open https://shop.example/confirm/abc'
				${code}
				echo "$code $link $reset"`);
			const [shown = '', found] = printed.split('\n').slice(-2);
			expect(JSON.parse(shown)).toEqual({
				codes: ['493028'],
				links: [{url: 'https://shop.example/confirm/abc', text: expect.any(String)}],
			});
			expect(found).toBe('493028 https://shop.example/confirm/abc https://shop.example/reset/abc');
		},
	},
	'Links: sh': {
		async run(code, {sh, files}) {
			await files({wiki});
			const lines = (await sh(`addr=$(tinbox inbox create)\ntinbox send "$addr" --text "$(cat wiki)"\n${code}`)).split(
				'\n',
			);
			const link = 'https://wiki.example/confirm/Special:ConfirmEmail/6a4e31da';
			expect(lines.slice(-2)).toEqual([link, link]);
		},
	},
	'In the API and in tests: json': {
		async run(code, {sh, files}) {
			await files({'mail.html': confirmation});
			const printed = await sh(`
				addr=$(tinbox inbox create)
				tinbox send "$addr" --html "$(cat mail.html)" > sent
				tinbox messages show "$addr" --json=codes,links`);
			expect(JSON.parse(printed)).toEqual(JSON.parse(code));
		},
	},
	'In the API and in tests: sh': {
		needs: ['curl'],
		async run(code, {sh}) {
			const printed = await sh(`
				eval "$(tinbox daemon start --format env)"
				addr=$(tinbox inbox create)
				tinbox send "$addr" --text 'https://shop.example/help https://shop.example/reset/abc' > sent
				${code}`);
			expect(JSON.parse(printed).links).toEqual([{url: 'https://shop.example/reset/abc', text: expect.any(String)}]);
		},
	},
	'When a code or link is missing or wrong: sh': {
		async run(code, {sh}) {
			const token = '134b60272732e278c5f7e1d6e97e98825ce282fc';
			const mail = `tinbox send "$addr" --subject 'Confirm it' --text 'confirm ${token}' > sent`;
			expect(await sh(`addr=$(tinbox inbox create)\n${mail}\n${code}`)).toBe(token);
		},
	},
};

import {expect} from 'vitest';
import type {Stories} from '../world.js';

export const stories: Stories = {
	'HTTP API: sh': {
		needs: ['curl'],
		async run(code, {sh}) {
			const [start = '', create = '', list = ''] = code.trim().split('\n');
			const printed = await sh(`${start}\n${create}\ntinbox send "$addr" --subject 'Confirm it' &\n${list}`);
			expect(JSON.parse(printed.slice(printed.indexOf('[')))).toMatchObject([{subject: 'Confirm it'}]);
		},
	},
	'Errors: json': {
		needs: ['curl'],
		async run(code, {sh}) {
			const answer = await sh(`
				eval "$(tinbox daemon start --format env)"
				curl -s -H "X-API-Key: $TINBOX_API_KEY" "$TINBOX_URL/inboxes?limit=0"`);
			expect(answer).toBe(code.trim());
		},
	},
};

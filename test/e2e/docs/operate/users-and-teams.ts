import {expect} from 'vitest';
import {mailText, type Stories} from '../world.js';

/** Creates Ann and Bob and logs them in. The following commands are Ann's, except for those that the page assigns to Bob. */
const annAndBob = `
tinbox users create ann@example.com --plan starter
tinbox users create bob@example.com
url=$(tinbox daemon status --json=url | cut -d '"' -f 4)
for user in ann bob; do
	tinbox users token "$user@example.com" | tinbox login --profile "$user" --url "$url"
done
export TINBOX_PROFILE=ann
tinbox() {
	case "$1 $2" in
		'teams accept') TINBOX_PROFILE=bob command tinbox "$@" ;;
		'messages wait') command tinbox send "$addr" --text '${mailText}' && TINBOX_PROFILE=bob command tinbox "$@" ;;
		*) command tinbox "$@" ;;
	esac
}
`;

export const stories: Stories = {
	'Users and teams: sh': {
		async run(code, {sh}) {
			await sh(`tinbox daemon start\n${code}\ntest -s ann.token`);
		},
	},
	'Users and teams: sh 2': {
		async run(code, {sh}) {
			const url = await sh(`tinbox daemon start > /dev/null; tinbox daemon status --json=url | cut -d '"' -f 4`);
			await sh('tinbox users create ann@example.com && tinbox users token ann@example.com > ann.token');
			expect(await sh(code.replace('http://mail.example.com:8025/v1', url))).toContain('ann@example.com');
		},
	},
	'Teams: sh': {
		async run(code, {sh}) {
			expect(await sh(`tinbox daemon start\n${annAndBob}\n${code}`)).toMatch(/^493028$/m);
		},
	},
};

import {WriteStream} from 'node:tty';
import {expect, test} from 'vitest';
import {abilitiesOf} from '../../../../../src/ui/tui/terminal/screen.js';

const stdout = WriteStream.prototype;

test.each([
	[{TERM: 'xterm-256color'}, true, true],
	[{TERM: 'tmux-256color'}, true, true],
	[{TERM: 'xterm', NO_COLOR: '1'}, false, true],
	[{TERM: 'xterm', NO_COLOR: ''}, true, true],
	[{TERM: 'xterm', FORCE_COLOR: '0'}, false, true],
	[{TERM: 'xterm-mono'}, false, true],
	[{TERM: 'vt100'}, false, false],
	[{TERM: 'vt220'}, false, false],
	[{TERM: 'linux'}, true, false],
	[{TERM: 'unheard-of'}, false, true],
])('a terminal with %j has colours: %s, mouse: %s', (env, colors, mouse) => {
	expect(abilitiesOf(env, stdout)).toEqual({colors, mouse});
});

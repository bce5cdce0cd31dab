import {readFile} from 'node:fs/promises';
import {createRequire} from 'node:module';
import {Argument, type Command} from 'commander';
import type {Context} from '../context.js';
import {addHelpNote} from '../help/layout.js';
import {addExamples} from '../options.js';

/** The file of each shell in `completions/`. */
export const completionFiles = {bash: 'tinbox.bash', zsh: '_tinbox', fish: 'tinbox.fish'} as const;

type Shell = keyof typeof completionFiles;

export function fillCompletion(command: Command, {io}: Context): void {
	addHelpNote(command, 'Completes commands, flags, their values, and the names of inboxes and messages.');
	addExamples(
		command,
		'source <(tinbox completion bash)  # in ~/.bashrc',
		'source <(tinbox completion zsh)   # in ~/.zshrc, after compinit',
		'tinbox completion fish > ~/.config/fish/completions/tinbox.fish',
	)
		.addArgument(new Argument('<shell>', 'shell').choices(Object.keys(completionFiles)))
		.action(async (shell: Shell) => {
			const file = createRequire(import.meta.url).resolve(`#completions/${completionFiles[shell]}`);
			io.stdout.write(await readFile(file, 'utf8'));
		});
}

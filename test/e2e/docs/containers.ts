import {once} from 'node:events';
import {createInterface} from 'node:readline';
import {execa} from 'execa';
import {expect, onTestFinished} from 'vitest';
import {parse} from 'yaml';
import {blockNamed} from './blocks.js';
import {mailText, type Stories, type World} from './world.js';

/** The instructions of a Dockerfile, of one line each. */
function instructionsOf(dockerfile: string): ReadonlyMap<string, string> {
	return new Map([...dockerfile.matchAll(/^([A-Z]+) (.*)$/gm)].map(([, name = '', rest = '']) => [name, rest]));
}

/**
 * Starts the command of the image. What is the container's own is made here: its network is loopback, its ports are free ones, and
 * its volume is a folder.
 */
async function startImage(dockerfile: string, {env, sh}: World, environment: Record<string, string>) {
	const instructions = instructionsOf(dockerfile);
	const [program = '', ...args] = JSON.parse(instructions.get('CMD')?.replace('0.0.0.0', '127.0.0.1') ?? '[]');
	const check = instructions.get('HEALTHCHECK')?.replace(/^.*CMD /, '') ?? '';
	await sh(`(${check}) && exit 1 || exit 0`, environment);
	const daemon = execa(program, [...args, '--json'], {env: {...env, ...environment}, extendEnv: false, reject: false});
	onTestFinished(async () => {
		daemon.kill();
		await daemon;
	});
	const [line] = await once(createInterface(daemon.stdout), 'line');
	await sh(check, environment);
	return {port: new URL(JSON.parse(String(line)).url).port};
}

export const containerStories: Stories = {
	'In a container: dockerfile': {
		needs: ['curl'],
		async run(code, world) {
			const {port} = await startImage(code, world, {});
			const health = `curl -sf --resolve mail:${port}:127.0.0.1 http://mail:${port}/v1/health`;
			expect(JSON.parse(await world.sh(health))).toMatchObject({status: 'ok'});
		},
	},
	'In a container: yaml': {
		async run(code, world) {
			const {services, volumes} = parse(code);
			const {mail, tests} = services;
			expect(mail.volumes).toEqual(Object.keys(volumes).map(name => `${name}:/mail`));
			const {port} = await startImage(blockNamed('In a container: dockerfile'), world, mail.environment);
			const {TINBOX_URL, ...environment} = tests.environment;
			const url = TINBOX_URL.replace('mail:8025', `127.0.0.1:${port}`);
			const elsewhere = {...environment, TINBOX_URL: url, TINBOX_HOME: `${world.folder}/tests`};
			await world.sh(`tinbox send anyone@anywhere.example --text '${mailText}'`, elsewhere);
			expect(await world.sh(tests.command.replace(/^npx --yes /, ''), elsewhere)).toBe('493028');
		},
	},
};

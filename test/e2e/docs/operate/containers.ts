import {once} from 'node:events';
import {createInterface} from 'node:readline';
import {execa} from 'execa';
import {expect, onTestFinished} from 'vitest';
import {parse} from 'yaml';
import {blockNamed} from '../blocks.js';
import {mailText, type Stories, type World} from '../world.js';

/** The instructions of a Containerfile, one line each. */
function instructionsOf(containerfile: string): ReadonlyMap<string, string> {
	return new Map([...containerfile.matchAll(/^([A-Z]+) (.*)$/gm)].map(([, name = '', rest = '']) => [name, rest]));
}

/** Runs the health check of the image against a port; true if it succeeds. */
async function isHealthy(check: string, port: string, env: Record<string, string>): Promise<boolean> {
	const [program = '', ...args] = JSON.parse(check.replace('8025', port));
	return (await execa(program, args, {env, extendEnv: false, reject: false})).exitCode === 0;
}

/** Runs the command of the image without a container: on loopback, free ports and a temporary folder. */
async function startImage(containerfile: string, {env}: World, environment: Record<string, string>) {
	const instructions = instructionsOf(containerfile);
	const variables = [...(instructions.get('ENV') ?? '').matchAll(/(\S+?)=(\S+)/g)].map(([, name, value]) => [
		name,
		value,
	]);
	const image = {...Object.fromEntries(variables), TINBOX_HOST: '127.0.0.1', TINBOX_HOME: env['TINBOX_HOME'] ?? ''};
	const [program = '', ...args] = JSON.parse(instructions.get('CMD') ?? '[]');
	const check = instructions.get('HEALTHCHECK')?.replace(/^.*CMD /, '') ?? '';
	const variablesOfDaemon = {...env, ...image, ...environment};
	const daemon = execa(program, [...args, '--json'], {env: variablesOfDaemon, extendEnv: false, reject: false});
	onTestFinished(async () => {
		daemon.kill();
		await daemon;
	});
	const [line] = await once(createInterface(daemon.stdout), 'line');
	const {port} = new URL(JSON.parse(String(line)).url);
	expect(await isHealthy(check, port, env)).toBe(true);
	expect(await isHealthy(check, '1', env)).toBe(false);
	return {port};
}

export const stories: Stories = {
	'Containers: dockerfile': {
		async run(code, world) {
			expect(instructionsOf(code).get('EXPOSE')).toBe('1025 1465 8025');
			await startImage(code, world, {});
		},
	},
	'Compose: yaml': {
		needs: ['curl'],
		async run(code, world) {
			const {services, volumes} = parse(code);
			const {mail, tests} = services;
			expect(mail.volumes).toEqual(Object.keys(volumes).map(name => `${name}:/mail`));
			const image = blockNamed('Containers: dockerfile', 'docs/operate/containers.md');
			const {port} = await startImage(image, world, mail.environment);
			const health = `curl -sf --resolve mail:${port}:127.0.0.1 http://mail:${port}/v1/health`;
			expect(JSON.parse(await world.sh(health))).toMatchObject({status: 'ok'});
			const {TINBOX_URL, ...environment} = tests.environment;
			const url = TINBOX_URL.replace('mail:8025', `127.0.0.1:${port}`);
			const testsEnv = {...environment, TINBOX_URL: url, TINBOX_HOME: `${world.folder}/tests`};
			await world.sh(`tinbox send anyone@anywhere.example --text '${mailText}'`, testsEnv);
			expect(await world.sh(tests.command.replace(/^npx --yes /, ''), testsEnv)).toBe('493028');
		},
	},
};

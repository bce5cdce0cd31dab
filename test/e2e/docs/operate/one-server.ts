import {execFileSync} from 'node:child_process';
import {expect} from 'vitest';
import {blockNamed, readPage} from '../blocks.js';
import {mailText, type Stories, type World} from '../world.js';

const page = 'docs/operate/one-server.md';

/** Writes a certificate for mail.example.com and its key. */
function createCertificate(folder: string): void {
	const args = [
		'req',
		'-x509',
		'-newkey',
		'ec',
		'-pkeyopt',
		'ec_paramgen_curve:prime256v1',
		'-nodes',
		'-days',
		'2',
		'-subj',
		'/CN=mail.example.com',
	];
	const files = ['-addext', 'subjectAltName=DNS:mail.example.com', '-keyout', 'key.pem', '-out', 'cert.pem'];
	execFileSync('openssl', [...args, ...files], {cwd: folder, stdio: 'ignore'});
}

/** The settings of the page, with the certificate in `folder`, loopback and free ports. */
function settingsIn(code: string, folder: string): Record<string, string> {
	const lines = [...code.replaceAll('/etc/tinbox', folder).matchAll(/^(\w+)=(.*)$/gm)];
	const settings = Object.fromEntries(lines.map(([, name = '', value = '']) => [name, value]));
	return {...settings, TINBOX_HOST: '127.0.0.1', TINBOX_HTTPS_PORT: '0'};
}

/** Starts a daemon with the settings of the page. */
async function startServer(world: World): Promise<Record<string, string>> {
	createCertificate(world.folder);
	const settings = settingsIn(blockNamed('One server for a team: ini', page), world.folder);
	await world.sh('tinbox daemon start', settings);
	return settings;
}

/** Shell functions that print the calls of system programs. */
const system = ['useradd', 'npm', 'install', 'systemctl'].map(name => `${name}() { echo "${name} $*"; }`).join('\n');

export const stories: Stories = {
	'One server for a team: sh': {
		async run(code, {sh}) {
			const printed = await sh(`${system}\n${code}`);
			const unit = readPage('docs/server/tinbox.service');
			expect(printed).toContain('install --mode 644 docs/server/tinbox.service /etc/systemd/system/tinbox.service');
			const [, environment = ''] = /^EnvironmentFile=(.*)$/m.exec(unit) ?? [];
			expect(printed).toContain(`server.env ${environment}`);
			expect(unit).toContain(`User=${/^useradd --system (\w+)$/m.exec(printed)?.[1]}\n`);
		},
	},
	'One server for a team: ini': {
		needs: ['openssl', 'curl'],
		async run(_, world) {
			const {sh} = world;
			const settings = await startServer(world);
			const address = await sh('tinbox inbox create --name shop');
			expect(address).toMatch(/@mail\.example\.com$/);
			await expect(sh(`tinbox send shop --user wrong:login`)).rejects.toThrow();
			await sh(`
				eval "$(tinbox inbox credentials shop --format env)"
				tinbox send customer@shop.example --user "$SMTP_USER:$SMTP_PASSWORD" --text '${mailText}'`);
			expect(await sh('tinbox messages wait shop --field code')).toBe('493028');
			const port = await sh(`tinbox daemon status --json=https_url | sed 's/.*:\\([0-9]*\\).*/\\1/'`);
			const to = `--cacert cert.pem --connect-to "mail.example.com:${port}:127.0.0.1:${port}"`;
			const health = await sh(`curl -sf ${to} "https://mail.example.com:${port}/v1/health"`);
			expect(JSON.parse(health)).toMatchObject({status: 'ok'});
			expect(settings['TINBOX_KEEP_FOR']).toBe('30d');
		},
	},
	'Users: sh': {
		needs: ['openssl'],
		async run(code, world) {
			await startServer(world);
			const asUser = 'runuser() { shift 3; "$@"; }';
			const here = code.replace('/var/lib/tinbox', world.env['TINBOX_HOME'] ?? '');
			const login =
				'command tinbox login --profile ann --url "$(command tinbox daemon status --json=url | cut -d \'"\' -f 4)" < ann.token';
			const printed = await world.sh(`${asUser}\n${here}\n${login}\ncommand tinbox whoami --profile ann`);
			expect(printed).toContain('ann@example.com');
		},
	},
	'Upgrade: sh': {
		async run(code, {sh}) {
			expect(await sh(`${system}\n${code}`)).toBe('npm install --global tinbox@latest\nsystemctl restart tinbox');
		},
	},
};

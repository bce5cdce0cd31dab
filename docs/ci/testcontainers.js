// Next to the Containerfile. In vitest.config.js: export default {test: {globalSetup: './testcontainers.js'}}
import {randomUUID} from 'node:crypto';
import {GenericContainer, Wait} from 'testcontainers';

const [smtp, api] = [1025, 8025];

/** Starts tinbox in a container for all tests, and sets the variables by which tests and app find it. */
export default async function setup() {
	const apiKey = `tbx_live_${randomUUID()}`;
	const image = await GenericContainer.fromDockerfile(import.meta.dirname, 'Containerfile').build('tinbox', {deleteOnExit: false});
	const container = await image
		// With docker:dind, as in GitLab, the container is reached as "docker".
		.withEnvironment({TINBOX_API_KEY: apiKey, TINBOX_TLS: 'off', TINBOX_HOST_NAMES: 'docker'})
		.withExposedPorts(smtp, api)
		.withWaitStrategy(Wait.forHealthCheck())
		.start();
	const host = container.getHost();
	Object.assign(process.env, {
		TINBOX_URL: `http://${host}:${container.getMappedPort(api)}/v1`,
		TINBOX_API_KEY: apiKey,
		SMTP_HOST: host,
		SMTP_PORT: String(container.getMappedPort(smtp)),
	});
	return async () => {
		await container.stop();
	};
}

import {Counter, Gauge, type Registry} from 'prom-client';

/** Sessions by how they came to be safe: `none`, `starttls` or `implicit`. */
export type SessionsBySafety = Readonly<Record<string, {readonly open: number; readonly ended: number}>>;

export function smtpMetrics(registry: Registry, sessions: () => SessionsBySafety): void {
	const registers = [registry];
	new Gauge({
		name: 'tinbox_smtp_sessions_open',
		help: 'Open SMTP sessions, by TLS (none, starttls, implicit).',
		labelNames: ['tls'],
		registers,
		collect() {
			for (const [tls, {open}] of Object.entries(sessions())) {
				this.set({tls}, open);
			}
		},
	});
	new Counter({
		name: 'tinbox_smtp_sessions_total',
		help: 'Ended SMTP sessions, by TLS (none, starttls, implicit).',
		labelNames: ['tls'],
		registers,
		collect() {
			this.reset();
			for (const [tls, {ended}] of Object.entries(sessions())) {
				this.inc({tls}, ended);
			}
		},
	});
}

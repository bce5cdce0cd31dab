/** `GET /v1/health`, the one answer that needs no credentials. */
export type HealthBody = {readonly status: 'ok'; readonly version: string};

/** `192.0.2.1:443`, and `[2001:db8::1]:443` of an IPv6 address: as in a URL. */
export const hostPort = (host: string, port: number | string): string => (host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`)

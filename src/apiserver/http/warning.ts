/** RFC 7234 `Warning`, as Kubernetes writes it. */
export const warningHeader = (text: string) => `299 - "${text.replace(/[\\"]/g, '\\$&').replace(/[\r\n]/g, ' ')}"`

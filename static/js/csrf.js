// The token that Django expects with every POST of this session.
export const readCsrfToken = () => document.cookie.match(/(?:^|; )csrftoken=([^;]+)/)?.[1] ?? "";

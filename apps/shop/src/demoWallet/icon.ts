const svg = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 96 96"><defs><linearGradient id="g" x1="0" y1="0" x2="1" y2="1"><stop stop-color="#7c5cff"/><stop offset="1" stop-color="#4a2bd1"/></linearGradient></defs><rect width="96" height="96" rx="24" fill="url(#g)"/><rect x="20" y="30" width="56" height="40" rx="10" fill="#fff"/><path d="M20 40c0-9 5-14 13-15l27-4c5-1 8 2 8 7v4H30" fill="#d9d0ff"/><path d="M76 44H61a7 7 0 0 0 0 14h15z" fill="#ffc94d"/><circle cx="62" cy="51" r="3" fill="#4a2bd1"/></svg>`

/** A `data:` image, so that showing it loads nothing. */
export const icon = `data:image/svg+xml,${encodeURIComponent(svg)}`

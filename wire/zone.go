package wire

import (
	"strconv"
	"strings"
	"time"
)

// findZone looks a time zone up by name, in any case, or by an offset in hours,
// and gives the name that SHOW prints. PostgreSQL's sign for a bare number is
// that of ISO 8601; the POSIX name it prints has the sign turned round
// (variable.c, check_timezone: "<+02>-02").
func findZone(text string) (zone *time.Location, name string, ok bool) {
	text = strings.TrimSpace(text)
	if hours, err := strconv.ParseFloat(text, 64); err == nil && hours >= -168 && hours <= 168 {
		name := posixZone(int(hours * 3600))
		return time.FixedZone(name, int(hours*3600)), name, true
	}
	if zone, ok := parsePosixZone(text); ok {
		return zone, text, true
	}
	if strings.EqualFold(text, "UTC") || strings.EqualFold(text, "GMT") || strings.EqualFold(text, "Zulu") {
		name := strings.ToUpper(text)
		if len(name) == 4 {
			name = "Zulu"
		}
		return time.UTC, name, true
	}
	// LoadLocation would take "" and "Local" as well, which are no zones.
	if text == "" || strings.EqualFold(text, "local") {
		return nil, "", false
	}
	for _, name := range [...]string{text, titleZone(text), strings.ToUpper(text)} {
		if zone, err := time.LoadLocation(name); err == nil {
			return zone, name, true
		}
	}
	return nil, "", false
}

// titleZone spells a name as the database mostly does: Europe/Berlin,
// America/Port_of_Spain, America/Port-au-Prince.
func titleZone(name string) string {
	b := []byte(strings.ToLower(name))
	start := true
	for i := 0; i < len(b); i++ {
		switch c := b[i]; {
		case c == '/' || c == '_' || c == '-' || c == '+':
			start = true
			continue
		case start && c >= 'a' && c <= 'z':
			word := string(b[i:])
			if !(strings.HasPrefix(word, "of_") || strings.HasPrefix(word, "es_") || strings.HasPrefix(word, "au-")) {
				b[i] = c - 'a' + 'A'
			}
		}
		start = false
	}
	return string(b)
}

// posixZone is the name of a zone seconds east of Greenwich.
func posixZone(seconds int) string {
	if seconds == 0 {
		return "<+00>-00"
	}
	east, west := byte('+'), byte('-')
	if seconds < 0 {
		seconds = -seconds
		east, west = west, east
	}
	clock := appendTwo(nil, seconds/3600)
	if rest := seconds % 3600; rest != 0 {
		clock = append(clock, ':')
		clock = appendTwo(clock, rest/60)
		if rest%60 != 0 {
			clock = append(clock, ':')
			clock = appendTwo(clock, rest%60)
		}
	}
	return "<" + string(east) + string(clock) + ">" + string(west) + string(clock)
}

// parsePosixZone reads what posixZone writes, and the plain forms UTC+2 and
// +02:00; their sign is POSIX's, positive to the west.
func parsePosixZone(s string) (*time.Location, bool) {
	if strings.HasPrefix(s, "<") {
		_, rest, ok := strings.Cut(s, ">")
		if !ok {
			return nil, false
		}
		s = rest
	} else if len(s) > 3 && (strings.EqualFold(s[:3], "UTC") || strings.EqualFold(s[:3], "GMT")) {
		s = s[3:]
	}
	offset, rest, ok := scanOffset(s)
	if !ok || rest != "" {
		return nil, false
	}
	return time.FixedZone(posixZone(-offset), -offset), true
}

// scanOffset reads [+-]hh[:mm[:ss]] or [+-]hhmm from the front of s, in seconds.
func scanOffset(s string) (seconds int, rest string, ok bool) {
	if s == "" || s[0] != '+' && s[0] != '-' {
		return 0, s, false
	}
	negative := s[0] == '-'
	s = s[1:]
	number := func() (int, int) {
		n, i := 0, 0
		for i < len(s) && i < 4 && s[i] >= '0' && s[i] <= '9' {
			n = n*10 + int(s[i]-'0')
			i++
		}
		s = s[i:]
		return n, i
	}
	n, digits := number()
	if digits == 0 {
		return 0, s, false
	}
	if digits > 2 {
		seconds = n/100*3600 + n%100*60
		if n%100 > 59 {
			return 0, s, false
		}
	} else {
		seconds = n * 3600
		for factor := 60; factor >= 1 && strings.HasPrefix(s, ":"); factor /= 60 {
			s = s[1:]
			n, digits := number()
			if digits == 0 || n > 59 {
				return 0, s, false
			}
			seconds += n * factor
		}
	}
	if seconds > 15*3600+59*60+59 { // datetime.h, MAX_TZDISP_HOUR
		return 0, s, false
	}
	if negative {
		seconds = -seconds
	}
	return seconds, s, true
}

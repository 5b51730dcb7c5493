package wire

import (
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/pggate/pggate/semantic/sqltype"
	"github.com/pggate/pggate/wire/sqlstate"
)

// dateOrder is the meaning of 01/02/03 (DateStyle).
type dateOrder uint8

const (
	orderMDY dateOrder = iota
	orderDMY
	orderYMD
)

// The dates and timestamps there are, since 1970 (timestamp.h; the last
// timestamps of PostgreSQL are beyond 64 bits when counted from 1970).
const (
	minDate      = -2440588 // 4713-11-24 BC
	maxDate      = 2145042905
	minTimestamp = minDate * microsPerDay
	maxTimestamp = math.MaxInt64
)

// A dateTime is what the text of a date or time says.
type dateTime struct {
	special          string // infinity, -infinity, now, today, ...
	year             int64
	month, day       int
	clock            int64 // microseconds since midnight
	hasDate, hasTime bool
	hasZone          bool
	offset           int            // seconds east, without zone
	zone             *time.Location // a zone by name
}

// parseTime reads a date, time or timestamp as the value that backend.Value has
// for it. A zone in the text of a type without one is ignored, as in PostgreSQL.
func parseTime(s string, t sqltype.Type, env *decodeEnv) (int64, error) {
	p := dateTimeParser{rest: s, order: env.order, timeFirst: t.OID == sqltype.Time || t.OID == sqltype.Timetz}
	d, outcome := p.parse()
	name := sqltype.Of(t.OID).String()
	if t.OID == sqltype.Time || t.OID == sqltype.Timestamp {
		name = t.OID.Name() // PostgreSQL's messages call these two by their short names
	}
	invalid := sqlstate.New(sqlstate.InvalidDatetimeFormat, "invalid input syntax for type %s: \"%s\"", name, s)
	switch outcome {
	case parsedWrongly:
		return 0, invalid
	case parsedBeyond:
		return 0, sqlstate.New(sqlstate.DatetimeFieldOverflow, "date/time field value out of range: \"%s\"", s)
	case parsedZone:
		return 0, sqlstate.New("22009", "time zone displacement out of range: \"%s\"", s)
	}
	d.resolve(env)
	switch t.OID {
	case sqltype.Time:
		if !d.hasTime {
			return 0, invalid
		}
		return d.clock, nil
	case sqltype.Timetz:
		if !d.hasTime {
			return 0, invalid
		}
		if !d.hasZone {
			d.zone = env.location
		}
		if d.zone != nil {
			at := env.now().Unix() // the offset of today, where no date is given
			if d.hasDate {
				at = d.days()*secondsPerDay + d.clock/microsPerSec
			}
			d.offset = int((&zoneCache{location: d.zone}).local(at))
		}
		return joinTimetz(d.clock, d.offset), nil
	case sqltype.Date:
		switch {
		case d.special == "infinity":
			return math.MaxInt32, nil
		case d.special == "-infinity":
			return math.MinInt32, nil
		case !d.hasDate:
			return 0, invalid
		}
		days := d.days()
		if days < minDate || days > maxDate {
			return 0, sqlstate.New(sqlstate.DatetimeFieldOverflow, "date out of range: \"%s\"", s)
		}
		return days, nil
	}
	switch {
	case d.special == "infinity":
		return math.MaxInt64, nil
	case d.special == "-infinity":
		return math.MinInt64, nil
	case !d.hasDate:
		return 0, invalid
	}
	days := d.days()
	offset := int64(0)
	if t.OID == sqltype.Timestamptz {
		switch {
		case !d.hasZone:
			offset = (&zoneCache{location: env.location}).local(days*secondsPerDay + d.clock/microsPerSec)
		case d.zone != nil:
			offset = (&zoneCache{location: d.zone}).local(days*secondsPerDay + d.clock/microsPerSec)
		default:
			offset = int64(d.offset)
		}
	}
	seconds := days*secondsPerDay - offset
	if days < minDate || seconds > math.MaxInt64/microsPerSec-secondsPerDay {
		return 0, sqlstate.New(sqlstate.DatetimeFieldOverflow, "timestamp out of range: \"%s\"", s)
	}
	return seconds*microsPerSec + d.clock, nil
}

func (d *dateTime) days() int64 { return daysOf(d.year, d.month, d.day) }

// resolve turns the words for points in time into dates.
func (d *dateTime) resolve(env *decodeEnv) {
	shift := 0
	switch d.special {
	case "epoch":
		*d = dateTime{year: 1970, month: 1, day: 1, hasDate: true, hasTime: true, hasZone: true}
		return
	case "now", "today":
	case "tomorrow":
		shift = 1
	case "yesterday":
		shift = -1
	default:
		return
	}
	now := env.now().In(env.location)
	clock, hasTime := d.clock, d.hasTime
	if d.special == "now" {
		hasTime = true
		clock = int64(now.Hour()*3600+now.Minute()*60+now.Second())*microsPerSec + int64(now.Nanosecond()/1000)
	}
	now = now.AddDate(0, 0, shift)
	d.year, d.month, d.day, d.hasDate = int64(now.Year()), int(now.Month()), now.Day(), true
	d.clock, d.hasTime, d.special = clock, hasTime, ""
}

// local is the offset of a wall clock reading, given in seconds as if it were
// UTC. A reading that occurs twice or never is taken as in the offset after or
// before the change (datetime.c, DetermineTimeZoneOffset).
func (z *zoneCache) local(wall int64) (offset int64) {
	before, after := z.at(wall-secondsPerDay), z.at(wall+secondsPerDay)
	if before == after || z.at(wall-after) == after {
		return after
	}
	return before
}

type parseOutcome uint8

const (
	parsedWell parseOutcome = iota
	parsedWrongly
	parsedBeyond
	parsedZone
)

// A dateTimeParser reads the forms of a date and time that PostgreSQL takes in
// (datetime.c, DecodeDateTime): ISO 8601 with and without separators, dates by
// slashes and dots in the session's order, names of months, a clock with AM and
// PM, offsets, names of zones, BC, and the special words.
type dateTimeParser struct {
	rest      string
	order     dateOrder
	timeFirst bool // bare digits are a time

	d          dateTime
	bc         bool
	half       string // am, pm
	monthNamed bool
	numbers    []string // numbers of a date with a named month
	afterT     bool
}

func (p *dateTimeParser) parse() (*dateTime, parseOutcome) {
	for {
		p.rest = strings.TrimLeft(p.rest, " \t\n\v\f\r,")
		if p.rest == "" {
			break
		}
		var out parseOutcome
		switch c := p.rest[0]; {
		case isDigit(c):
			out = p.number()
		case c == '+' || c == '-':
			out = p.signed()
		case isLetter(c):
			out = p.word()
		default:
			out = parsedWrongly
		}
		if out != parsedWell {
			return nil, out
		}
	}
	return p.finish()
}

func isDigit(c byte) bool  { return c >= '0' && c <= '9' }
func isLetter(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' }

// span takes the characters that f holds for from the front.
func (p *dateTimeParser) span(f func(byte) bool) string {
	i := 0
	for i < len(p.rest) && f(p.rest[i]) {
		i++
	}
	s := p.rest[:i]
	p.rest = p.rest[i:]
	return s
}

func (p *dateTimeParser) number() parseOutcome {
	digits := p.span(isDigit)
	next := byte(0)
	if p.rest != "" {
		next = p.rest[0]
	}
	wantDate := !p.d.hasDate && !p.afterT
	switch {
	case next == ':':
		return p.clock(digits)
	case wantDate && !p.timeFirst && (next == '-' || next == '/' || next == '.') && len(p.rest) > 1 && (isDigit(p.rest[1]) || isLetter(p.rest[1])):
		return p.separated(digits, next)
	case wantDate && p.timeFirst && (next == '-' || next == '/') && len(p.rest) > 3 && isDigit(p.rest[1]) && strings.IndexByte(p.rest[1:], next) > 0:
		return p.separated(digits, next)
	case p.monthNamed || wantDate && len(digits) <= 2 && p.special():
		p.numbers = append(p.numbers, digits)
		return parsedWell
	case !p.d.hasTime && (p.afterT || p.timeFirst || p.d.hasDate) && (len(digits) == 4 || len(digits) == 6):
		return p.packedClock(digits)
	case wantDate && len(digits) == 8:
		return p.date(digits[:4], digits[4:6], digits[6:])
	case wantDate && len(digits) == 6:
		return p.date(digits[:2], digits[2:4], digits[4:])
	case wantDate && len(digits) <= 4:
		p.numbers = append(p.numbers, digits)
		return parsedWell
	}
	return parsedWrongly
}

// special reports whether a month's name is still to come.
func (p *dateTimeParser) special() bool {
	rest := strings.TrimLeft(p.rest, " ")
	return rest != "" && isLetter(rest[0])
}

// clock reads hh:mm[:ss[.ffffff]].
func (p *dateTimeParser) clock(hour string) parseOutcome {
	if p.d.hasTime || len(hour) > 2 {
		return parsedWrongly
	}
	p.rest = p.rest[1:]
	minute := p.span(isDigit)
	second := "0"
	if strings.HasPrefix(p.rest, ":") {
		p.rest = p.rest[1:]
		second = p.span(isDigit)
	}
	return p.setClock(hour, minute, second)
}

// packedClock reads hhmm and hhmmss.
func (p *dateTimeParser) packedClock(digits string) parseOutcome {
	second := "0"
	if len(digits) == 6 {
		second = digits[4:]
	}
	return p.setClock(digits[:2], digits[2:4], second)
}

func (p *dateTimeParser) setClock(hour, minute, second string) parseOutcome {
	fraction := int64(0)
	if strings.HasPrefix(p.rest, ".") {
		p.rest = p.rest[1:]
		// Rounded to microseconds, as PostgreSQL does.
		f, err := strconv.ParseFloat("0."+p.span(isDigit)+"0", 64)
		if err != nil {
			return parsedWrongly
		}
		fraction = int64(math.RoundToEven(f * microsPerSec))
	}
	h, err1 := strconv.Atoi(hour)
	m, err2 := strconv.Atoi(minute)
	s, err3 := strconv.Atoi(second)
	switch {
	case err1 != nil || err2 != nil || err3 != nil || len(minute) > 2 || len(second) > 2:
		return parsedWrongly
	case h > 24 || m > 59 || s > 60 || h == 24 && (m > 0 || s > 0 || fraction > 0):
		return parsedBeyond
	}
	p.d.clock = int64(h*3600+m*60+s)*microsPerSec + fraction
	p.d.hasTime = true
	return parsedWell
}

// separated reads a date such as 2026-01-02, 01/02/2026, 2.1.2026 or 2-Jan-2026.
func (p *dateTimeParser) separated(first string, separator byte) parseOutcome {
	part := func() string {
		p.rest = p.rest[1:]
		if p.rest != "" && isLetter(p.rest[0]) {
			return p.span(isLetter)
		}
		return p.span(isDigit)
	}
	second := part()
	third := ""
	if strings.HasPrefix(p.rest, string(separator)) {
		third = part()
	}
	switch {
	case third == "" && len(first) == 4 && separator == '.':
		return parsedWrongly // a day of the year, which we do not take
	case third == "":
		return parsedWrongly
	}
	if m := monthNumber(second); m != 0 {
		month := strconv.Itoa(m)
		if len(first) > 2 {
			return p.date(first, month, third)
		}
		return p.date(third, month, first)
	}
	switch {
	case len(first) > 2 || p.order == orderYMD:
		return p.date(first, second, third)
	case p.order == orderDMY:
		return p.date(third, second, first)
	}
	return p.date(third, first, second)
}

// date takes the three numbers of a date; a year of two digits is one between
// 1970 and 2069.
func (p *dateTimeParser) date(year, month, day string) parseOutcome {
	if p.d.hasDate || len(month) > 2 || len(day) > 2 || year == "" || month == "" || day == "" {
		return parsedWrongly
	}
	y, err1 := strconv.ParseInt(year, 10, 32)
	m, err2 := strconv.Atoi(month)
	d, err3 := strconv.Atoi(day)
	if err1 != nil || err2 != nil || err3 != nil {
		return parsedWrongly
	}
	if len(year) <= 2 {
		if y < 70 {
			y += 2000
		} else {
			y += 1900
		}
	}
	p.d.year, p.d.month, p.d.day, p.d.hasDate = y, m, d, true
	return parsedWell
}

// signed reads an offset behind a time or date, or -infinity.
func (p *dateTimeParser) signed() parseOutcome {
	if len(p.rest) > 1 && isLetter(p.rest[1]) {
		sign := p.rest[:1]
		p.rest = p.rest[1:]
		if w := strings.ToLower(p.span(isLetter)); w != "infinity" || p.d.special != "" {
			return parsedWrongly
		}
		p.d.special = strings.TrimPrefix(sign, "+") + "infinity"
		return parsedWell
	}
	if p.d.hasZone && p.d.zone == nil || !p.d.hasDate && !p.d.hasTime {
		return parsedWrongly
	}
	offset, rest, ok := scanOffset(p.rest)
	if !ok {
		if len(p.rest) > 1 && isDigit(p.rest[1]) {
			return parsedZone
		}
		return parsedWrongly
	}
	p.rest = rest
	p.d.offset, p.d.hasZone, p.d.zone = offset, true, nil
	return parsedWell
}

// word reads a name: a month, a zone, BC, AM, a special word.
func (p *dateTimeParser) word() parseOutcome {
	start := p.rest
	w := strings.ToLower(p.span(isLetter))
	switch w {
	case "t":
		if p.d.hasDate && !p.d.hasTime {
			p.afterT = true
			return parsedWell
		}
	case "bc":
		p.bc = true
		return parsedWell
	case "ad":
		return parsedWell
	case "am", "pm":
		p.half = w
		return parsedWell
	case "infinity", "inf", "epoch", "now", "today", "tomorrow", "yesterday":
		if p.d.special != "" || p.d.hasDate {
			return parsedWrongly
		}
		p.d.special = strings.Replace(w+"|", "inf|", "infinity|", 1)
		p.d.special = strings.TrimSuffix(p.d.special, "|")
		return parsedWell
	case "allballs":
		p.d.hasTime, p.d.hasZone = true, true
		return parsedWell
	case "z", "zulu", "utc", "gmt":
		p.d.hasZone = true
		return parsedWell
	}
	if m := monthNumber(w); m != 0 && !p.d.hasDate && !p.monthNamed {
		p.monthNamed = true
		p.d.month = m
		// A year or day may hang on it: Jan-02.
		p.rest = strings.TrimLeft(p.rest, "-. ")
		return parsedWell
	}
	if isWeekday(w) {
		p.rest = strings.TrimPrefix(p.rest, ".")
		return parsedWell
	}
	if p.d.hasZone {
		return parsedWrongly
	}
	p.rest = start
	name := p.span(func(c byte) bool { return isLetter(c) || isDigit(c) || c == '/' || c == '_' || c == '-' || c == '+' })
	zone, _, ok := findZone(name)
	if !ok {
		return parsedWrongly
	}
	p.d.zone, p.d.hasZone = zone, true
	return parsedWell
}

var monthNames = [...]string{"january", "february", "march", "april", "may", "june", "july", "august", "september", "october", "november", "december"}

// monthNumber knows the names of the months, whole or by three letters.
func monthNumber(s string) int {
	s = strings.ToLower(s)
	for i, name := range monthNames {
		if s == name || s == name[:3] || s == "sept" && i == 8 {
			return i + 1
		}
	}
	return 0
}

func isWeekday(s string) bool {
	for _, name := range [...]string{"monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"} {
		if len(s) >= 3 && strings.HasPrefix(name, s) {
			return true
		}
	}
	return false
}

// finish puts a date with a named month together and checks the calendar.
func (p *dateTimeParser) finish() (*dateTime, parseOutcome) {
	d := &p.d
	if p.monthNamed {
		if len(p.numbers) != 2 {
			return nil, parsedWrongly
		}
		day, year := p.numbers[0], p.numbers[1]
		if len(day) > 2 {
			day, year = year, day
		}
		if out := p.date(year, strconv.Itoa(d.month), day); out != parsedWell {
			return nil, out
		}
	} else if len(p.numbers) > 0 {
		return nil, parsedWrongly
	}
	if d.special != "" && (d.hasDate || d.hasTime && d.special != "today" && d.special != "tomorrow" && d.special != "yesterday") {
		return nil, parsedWrongly
	}
	if d.hasDate {
		if d.year == 0 || d.month < 1 || d.month > 12 || d.day < 1 {
			return nil, parsedBeyond
		}
		if p.bc {
			d.year = 1 - d.year
		}
		if d.day > daysIn(d.year, d.month) {
			return nil, parsedBeyond
		}
	} else if p.bc {
		return nil, parsedWrongly
	}
	if p.half != "" {
		const noon = 12 * 3600 * microsPerSec
		switch {
		case !d.hasTime || d.clock >= noon+3600*microsPerSec:
			return nil, parsedBeyond
		case p.half == "pm" && d.clock < noon:
			d.clock += noon
		case p.half == "am" && d.clock >= noon:
			d.clock -= noon
		}
	}
	return d, parsedWell
}

package wire

import (
	"math"
	"strconv"
	"strings"

	"github.com/pggate/pggate/backend"
	"github.com/pggate/pggate/wire/sqlstate"
)

// An intervalSum gathers the parts of an interval. A fraction of a larger unit
// goes over to the smaller ones: half a month is 15 days, half a day 12 hours
// (datetime.c, DecodeInterval).
type intervalSum struct {
	months, days, micros float64
	wholeMicros          int64 // hours to microseconds, exact
	overflow             bool
}

// The units by their names and abbreviations (datetime.c, deltatktbl).
type intervalUnit struct {
	months, days int64
	micros       int64
}

var intervalUnits = func() map[string]intervalUnit {
	m := make(map[string]intervalUnit, 64)
	for _, u := range [...]struct {
		unit  intervalUnit
		names string
	}{
		{intervalUnit{micros: 1}, "microsecond microseconds microsecon us usec usecs usecond useconds"},
		{intervalUnit{micros: 1000}, "millisecond milliseconds ms msec msecs msecond mseconds"},
		{intervalUnit{micros: microsPerSec}, "second seconds s sec secs"},
		{intervalUnit{micros: 60 * microsPerSec}, "minute minutes m min mins"},
		{intervalUnit{micros: 3600 * microsPerSec}, "hour hours h hr hrs"},
		{intervalUnit{days: 1}, "day days d"},
		{intervalUnit{days: 7}, "week weeks w"},
		{intervalUnit{months: 1}, "month months mon mons"},
		{intervalUnit{months: 3}, "quarter quarters qtr"},
		{intervalUnit{months: 12}, "year years y yr yrs"},
		{intervalUnit{months: 120}, "decade decades dec decs"},
		{intervalUnit{months: 1200}, "century centuries c cent"},
		{intervalUnit{months: 12000}, "millennium millennia mil mils"},
	} {
		for name := range strings.FieldsSeq(u.names) {
			m[name] = u.unit
		}
	}
	return m
}()

// add adds number units; the number is whole + fraction, of one sign.
func (s *intervalSum) add(whole int64, fraction float64, u intervalUnit) {
	switch {
	case u.months != 0:
		s.months += float64(whole * u.months)
		rest := fraction * float64(u.months)
		months := math.Trunc(rest)
		s.months += months
		s.addDays((rest - months) * 30)
	case u.days != 0:
		s.days += float64(whole * u.days)
		s.addDays(fraction * float64(u.days))
	default:
		if whole > math.MaxInt64/u.micros || whole < math.MinInt64/u.micros {
			s.overflow = true
			return
		}
		s.addMicros(whole * u.micros)
		s.micros += fraction * float64(u.micros)
	}
}

// addDays adds days with a fraction, which becomes a time.
func (s *intervalSum) addDays(days float64) {
	// Counted in microseconds first: 0.1 months are three days, not a little
	// less.
	micros := math.RoundToEven(days * microsPerDay)
	whole := math.Trunc(micros / microsPerDay)
	s.days += whole
	s.micros += micros - whole*microsPerDay
}

// addMicros adds to the exact part of the time.
func (s *intervalSum) addMicros(n int64) {
	sum := s.wholeMicros + n
	if (sum > s.wholeMicros) != (n > 0) && n != 0 {
		s.overflow = true
	}
	s.wholeMicros = sum
}

func (s *intervalSum) interval() (v backend.Interval, ok bool) {
	micros := math.RoundToEven(s.micros)
	if math.Abs(micros) > 1<<62 || !inInt32(s.months) || !inInt32(s.days) {
		return v, false
	}
	s.addMicros(int64(micros))
	return backend.Interval{Months: int32(s.months), Days: int32(s.days), Micros: s.wholeMicros}, !s.overflow
}

func inInt32(f float64) bool { return f >= math.MinInt32 && f <= math.MaxInt32 }

// parseInterval reads an interval in any of the styles that appendInterval
// writes, and in words.
func parseInterval(text string) (backend.Interval, error) {
	var sum intervalSum
	ok := false
	if s := trimSpace(text); strings.HasPrefix(s, "P") {
		ok = sum.parseISO(s[1:])
	} else {
		ok = sum.parseWords(s)
	}
	if !ok {
		return backend.Interval{}, sqlstate.New(sqlstate.InvalidDatetimeFormat, "invalid input syntax for type interval: \"%s\"", text)
	}
	v, ok := sum.interval()
	if !ok {
		return backend.Interval{}, sqlstate.New(sqlstate.IntervalFieldOverflow, "interval field value out of range: \"%s\"", text)
	}
	return v, nil
}

// scanNumber takes [+-]digits[.digits] from the front of s. The whole part and
// the fraction have the same sign.
func scanNumber(s string) (whole int64, fraction float64, negative bool, rest string, ok bool) {
	i := 0
	if i < len(s) && (s[i] == '-' || s[i] == '+') {
		negative = s[i] == '-'
		i++
	}
	start := i
	for i < len(s) && isDigit(s[i]) {
		i++
	}
	digits := s[start:i]
	if i < len(s) && s[i] == '.' {
		point := i
		i++
		for i < len(s) && isDigit(s[i]) {
			i++
		}
		if i-point == 1 && digits == "" {
			return 0, 0, false, s, false
		}
		fraction, _ = strconv.ParseFloat("0"+s[point:i]+"0", 64) // digits only: cannot fail
	} else if digits == "" {
		return 0, 0, false, s, false
	}
	if digits != "" {
		n, err := strconv.ParseInt(digits, 10, 64)
		if err != nil || n > 1<<53 && fraction != 0 {
			return 0, 0, false, s, false
		}
		whole = n
	}
	if negative {
		whole, fraction = -whole, -fraction
	}
	return whole, fraction, negative, s[i:], true
}

// parseISO reads what follows the P of an ISO 8601 duration.
func (s *intervalSum) parseISO(rest string) bool {
	inTime, any := false, false
	for rest != "" {
		if rest[0] == 'T' && !inTime {
			inTime = true
			rest = rest[1:]
			continue
		}
		whole, fraction, _, after, ok := scanNumber(rest)
		if !ok || after == "" {
			return false
		}
		var u intervalUnit
		switch unit := after[0]; {
		case unit == 'Y' && !inTime:
			u.months = 12
		case unit == 'M' && !inTime:
			u.months = 1
		case unit == 'W' && !inTime:
			u.days = 7
		case unit == 'D' && !inTime:
			u.days = 1
		case unit == 'H' && inTime:
			u.micros = 3600 * microsPerSec
		case unit == 'M' && inTime:
			u.micros = 60 * microsPerSec
		case unit == 'S' && inTime:
			u.micros = microsPerSec
		default:
			return false
		}
		s.add(whole, fraction, u)
		rest, any = after[1:], true
	}
	return any
}

// parseWords reads "@ 1 year 2 mons -3 days 04:05:06.7 ago", "1-2 3 4:05:06"
// and the like.
func (s *intervalSum) parseWords(rest string) bool {
	rest = strings.TrimPrefix(rest, "@")
	any, ago := false, false
	for {
		rest = strings.TrimLeft(rest, " \t\n\v\f\r")
		if rest == "" {
			break
		}
		if w := wordOf(rest); w == "ago" {
			ago = true
			rest = rest[len(w):]
			continue
		}
		whole, fraction, negative, after, ok := scanNumber(rest)
		if !ok {
			return false
		}
		any = true
		switch {
		case strings.HasPrefix(after, ":") && fraction == 0:
			if after, ok = s.clock(whole, negative, after); !ok {
				return false
			}
		case strings.HasPrefix(after, "-") && fraction == 0 && len(after) > 1 && isDigit(after[1]):
			months, none, _, end, ok := scanNumber(after[1:])
			if !ok || none != 0 || months > 11 {
				return false
			}
			if negative {
				months = -months
			}
			s.add(whole, 0, intervalUnit{months: 12})
			s.add(months, 0, intervalUnit{months: 1})
			after = end
		default:
			trimmed := strings.TrimLeft(after, " \t\n\v\f\r")
			unit := wordOf(trimmed)
			u, known := intervalUnits[strings.ToLower(unit)]
			switch {
			case known:
				after = trimmed[len(unit):]
			case trimmed == "":
				u = intervalUnit{micros: microsPerSec} // a bare number counts seconds
			case unit == "" && fraction == 0 && beginsClock(trimmed):
				u = intervalUnit{days: 1} // SQL's "3 4:05:06"
			default:
				return false
			}
			s.add(whole, fraction, u)
		}
		rest = after
	}
	if ago {
		s.months, s.days, s.micros, s.wholeMicros = -s.months, -s.days, -s.micros, -s.wholeMicros
	}
	return any
}

func wordOf(s string) string {
	i := 0
	for i < len(s) && isLetter(s[i]) {
		i++
	}
	return s[:i]
}

func beginsClock(s string) bool {
	s = strings.TrimLeft(s, "+-")
	i := 0
	for i < len(s) && isDigit(s[i]) {
		i++
	}
	return i > 0 && i < len(s) && s[i] == ':'
}

// clock reads :mm[:ss[.ffffff]] after the hours; all have the sign of those.
func (s *intervalSum) clock(hours int64, negative bool, rest string) (string, bool) {
	minutes, fraction, _, rest, ok := scanNumber(rest[1:])
	if !ok || minutes < 0 || minutes > 59 || fraction != 0 {
		return rest, false
	}
	seconds := int64(0)
	if strings.HasPrefix(rest, ":") {
		seconds, fraction, _, rest, ok = scanNumber(rest[1:])
		if !ok || seconds < 0 || seconds > 60 {
			return rest, false
		}
	}
	if negative {
		minutes, seconds, fraction = -minutes, -seconds, -fraction
	}
	s.add(hours, 0, intervalUnit{micros: 3600 * microsPerSec})
	s.add(minutes, 0, intervalUnit{micros: 60 * microsPerSec})
	s.add(seconds, fraction, intervalUnit{micros: microsPerSec})
	return rest, true
}
